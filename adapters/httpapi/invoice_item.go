package httpapi

import (
	"context"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// invoiceItemRoutes write through the invoice that a line belongs to.
func invoiceItemRoutes(reader readmodel.Reader[readmodel.InvoiceItemFilter], commands *command.Invoices) []route {
	return resource[readmodel.InvoiceItemFilter]{
		path:   "invoice-items",
		table:  readmodel.InvoiceItems,
		reader: reader,
		format: jsonFormat,
		filter: invoiceItemFilter,
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			to := idField[invoice.ID](in, "invoice_id").Or(0)
			a := lineAttributes(in)
			id, err := commands.AddItem(ctx, in.request, to, a)
			return int64(id), in.asSent(err)
		},
		update: func(ctx context.Context, in *input, id int64) error {
			a := storedLineAttributes(in)
			return in.asSent(commands.ChangeItem(ctx, in.request, invoice.LineID(id), a))
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.RemoveItem(ctx, r, invoice.LineID(id))
		},
	})
}

func invoiceItemFilter(p *params) readmodel.InvoiceItemFilter {
	return readmodel.InvoiceItemFilter{
		InvoiceID: idParam[invoice.ID](p, "invoice_id"),
		Name:      p.text("name"),
	}
}

// The numbers of a line have two names: the long one of a write, and the short
// one by which they are shown and which writes may use too.
var (
	lineCount = twoNames{long: "items_count", short: "count"}
	linePrice = twoNames{long: "item_price", short: "price"}
	lineTotal = twoNames{long: "items_total_price", short: "total_price"}
)

// lineAttributes is a new line.
func lineAttributes(in *input) invoice.LineAttributes {
	a := invoice.LineAttributes{
		Name:  in.text("name"),
		Units: in.text("units"),
		Count: either(in, lineCount, money.ParseQuantity),
		Price: either(in, linePrice, money.ParseAmount),
		Total: either(in, lineTotal, money.ParseClaim),
	}
	if len(in.request.Wrong) > 0 {
		// What the total should be is not known.
		a.Total = optional.Of[money.Claim]{}
	}
	return a
}

// storedLineAttributes is a change of a line, which has a count and a price and
// keeps having them.
func storedLineAttributes(in *input) invoice.LineAttributes {
	for _, name := range []string{lineCount.long, lineCount.short, linePrice.long, linePrice.short} {
		if n, ok := in.fields[name]; ok && n.isEmpty() {
			in.refuse(name, "must not be empty")
		}
	}
	return lineAttributes(in)
}

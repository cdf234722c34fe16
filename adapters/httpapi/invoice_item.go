package httpapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// InvoiceItems returns the invoice-items resource, the lines of invoices. Writes go through
// the invoice of the line.
func InvoiceItems(reader readmodel.Reader[readmodel.InvoiceItemFilter], commands *command.Invoices) Resource {
	return endpoint[readmodel.InvoiceItemFilter]{
		path:     "invoice-items",
		table:    readmodel.InvoiceItems,
		reader:   reader,
		format:   jsonFormat,
		filter:   invoiceItemFilter,
		record:   "InvoiceItem",
		docs:     &invoiceItemDocs,
		body:     invoiceItemFields,
		aliases:  []string{lineCount.short, linePrice.short, lineTotal.short},
		statuses: map[apidoc.Verb][]int{apidoc.Delete: {http.StatusUnprocessableEntity}}, // without a discount the total may be too large
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			invoiceID := idField[invoice.ID](in, "invoice_id").Or(0)
			a := lineAttributes(in)
			id, err := commands.AddLine(ctx, in.request, invoiceID, a)
			return int64(id), in.asSent(err)
		},
		update: func(ctx context.Context, in *input, id int64) error {
			a := storedLineAttributes(in)
			return in.asSent(commands.ChangeLine(ctx, in.request, invoice.LineID(id), a))
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.RemoveLine(ctx, r, invoice.LineID(id))
		},
	})
}

// lineFields are the attributes of a line; those with a long name accept the short one too.
var lineFields = slices.Concat(
	[]apidoc.Field{apidoc.RequiredText("name", longText)},
	apidoc.Texts(shortText, "units"),
	[]apidoc.Field{
		{Name: lineCount.long, Schema: apidoc.Of(readmodel.Quantity),
			Description: "Not 0, with at most 6 fraction digits; default 1. `" + lineCount.short + "` is accepted instead."},
		{Name: linePrice.long, Schema: amount, Description: "The unit price; default 0. `" + linePrice.short + "` is accepted instead."},
		{Name: lineTotal.long, Schema: amount,
			Description: "Optional; if present, it must not differ from count times price by more than 0.005. " +
				"`" + lineTotal.short + "` is accepted instead."},
	},
)

var amount = apidoc.Pattern(`^-?[0-9]{1,12}(\.[0-9]{1,4})?$`, "10.50")

var invoiceItemFields = append([]apidoc.Field{
	{Name: "invoice_id", Schema: apidoc.ID, Required: true, CreateOnly: true},
}, lineFields...)

// invoiceLineFields are the attributes of a line in the body of an invoice.
var invoiceLineFields = append([]apidoc.Field{
	apidoc.Reference("id", "The id of an existing line. Without it the line is new and needs a name."),
}, lineFields...)

func invoiceItemFilter(p *params) readmodel.InvoiceItemFilter {
	return readmodel.InvoiceItemFilter{
		InvoiceID: idParam[invoice.ID](p, "invoice_id"),
		Name:      p.text("name"),
	}
}

// The numbers of a line have two names: writes use the long or the short one, responses the short one.
var (
	lineCount = twoNames{long: "items_count", short: "count"}
	linePrice = twoNames{long: "item_price", short: "price"}
	lineTotal = twoNames{long: "items_total_price", short: "total_price"}
)

func lineAttributes(in *input) invoice.LineAttributes {
	a := invoice.LineAttributes{
		Name:  in.text("name"),
		Units: in.text("units"),
		Count: either(in, lineCount, money.ParseQuantity),
		Price: either(in, linePrice, money.ParseAmount),
		Total: either(in, lineTotal, money.ParseControlTotal),
	}
	if len(in.request.Wrong) > 0 {
		// The expected total is unknown.
		a.Total = domain.Optional[money.ControlTotal]{}
	}
	return a
}

// storedLineAttributes reads a change of an existing line, whose count and price cannot
// be emptied.
func storedLineAttributes(in *input) invoice.LineAttributes {
	for _, name := range []string{lineCount.long, lineCount.short, linePrice.long, linePrice.short} {
		if n, ok := in.Fields[name]; ok && n.IsEmpty() {
			in.refuse(fault.Required, name, "must not be empty")
		}
	}
	return lineAttributes(in)
}

var invoiceItemDocs = apidoc.Docs{
	Description: "Invoice items are the individual lines of all invoices. Writing a line writes its invoice: the invoice must not " +
		"be frozen, and its amounts are updated in the same transaction.",
	Operations: map[apidoc.Verb]string{
		apidoc.Update: "`invoice_id` is ignored.",
		apidoc.Delete: "The invoice's amounts are updated.",
	},
	Attributes: apidoc.Attributes{
		"invoice_id":  "The invoice of the line.",
		"name":        "The product or service sold.",
		"units":       "The unit of measure.",
		"count":       "The quantity; negative for a return.",
		"price":       "The unit price.",
		"total_price": "count times price, rounded; in a credit note, the part of the line of its invoice.",
	},
	Create: `{"invoice_id":77,"name":"Delivery","units":"km","items_count":96.5,"item_price":"1.15"}`,
	Change: `{"items_count":13}`,
}

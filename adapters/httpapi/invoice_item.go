package httpapi

import (
	"context"
	"net/http"
	"slices"

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
		record: "InvoiceItem",
		lesson: &invoiceItemLesson,
		body:   invoiceItemFields,
		also:   map[verb][]int{removing: {http.StatusUnprocessableEntity}}, // without a discount the rest may be too much
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			to := idField[invoice.ID](in, "invoice_id").Or(0)
			a := lineAttributes(in)
			id, err := commands.AddLine(ctx, in.request, to, a)
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

// lineFields are the attributes of a line; those with a long name have a short
// one that does as well.
var lineFields = slices.Concat(
	[]field{named("name", longText)},
	textFields(shortText, "units"),
	[]field{
		{name: lineCount.long, schema: kindSchema(readmodel.Quantity), about: "Not 0, of at most 6 fraction digits; without it, 1. Also: " + lineCount.short + "."},
		{name: linePrice.long, schema: moneySchema, about: "Of one; without it, 0. Also: " + linePrice.short + "."},
		{name: lineTotal.long, schema: moneySchema, about: "Need not be sent; if it is, it must be the product. Also: " + lineTotal.short + "."},
	},
)

var moneySchema = patternSchema(`^-?[0-9]{1,12}(\.[0-9]{1,4})?$`, "10.50")

var invoiceItemFields = append([]field{
	{name: "invoice_id", schema: idSchema, required: true, onCreate: true},
}, lineFields...)

// invoiceLineFields are the attributes of a line inside an invoice that is sent.
var invoiceLineFields = append([]field{
	refersTo("id", "Of a line that is there already. Without it the line is new, and has to have a name."),
}, lineFields...)

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
		if n, ok := in.Fields[name]; ok && n.IsEmpty() {
			in.refuse(name, "must not be empty")
		}
	}
	return lineAttributes(in)
}

var invoiceItemLesson = lesson{
	about: "Invoice items are the lines of all invoices, one by one. Writing a line is writing its invoice: that must not be frozen, and its amounts follow at once.",
	words: map[verb]string{
		updating: "`invoice_id` stays as it is.",
		removing: "The invoice's amounts follow.",
	},
	notes: notes{
		"id":          shows("", "301", "302", "303"),
		"invoice_id":  shows("The invoice that it is a line of.", "77"),
		"name":        shows("What is sold.", "Bed, oak, 160 cm", "Wardrobe, two doors", "Fitting"),
		"units":       shows("The unit of measure.", "pcs", "pcs", "h"),
		"count":       shows("How many; negative for what comes back.", "12", "12", "37.5"),
		"price":       shows("The price of one.", "1240.0000", "890.5000", "58.0000"),
		"total_price": shows("count times price, rounded to four digits.", "14880.0000", "10686.0000", "2175.0000"),
	},
	story: story{
		create: object{{"invoice_id", 77}, {"name", "Delivery"}, {"units", "km"}, {"items_count", 96.5}, {"item_price", "1.15"}},
		created: map[string]string{
			"id": "304", "name": "Delivery", "units": "km", "count": "96.5", "price": "1.1500", "total_price": "110.9750",
		},
		change:  object{{"items_count", 13}},
		changed: map[string]string{"count": "13", "total_price": "16120.0000"},
	},
}

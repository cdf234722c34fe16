package httpapi

import (
	"context"
	"net/http"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
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
		body:     append(fieldsOf(invoiceOfLine), fieldsOf(lineAttributes)...),
		statuses: map[apidoc.Verb][]int{apidoc.Delete: {http.StatusUnprocessableEntity}}, // without a discount the total may be too large
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			invoiceID, a := invoiceOfLine(in), lineAttributes(in)
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

var amount = apidoc.Pattern(`^-?[0-9]{1,12}(\.[0-9]{1,4})?$`, "10.50")

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

func invoiceOfLine(in *input) invoice.ID {
	return idField[invoice.ID](in, in.field("invoice_id", apidoc.ID, "The invoice of the line.", required, createOnly)).Or(0)
}

func lineAttributes(in *input) invoice.LineAttributes {
	return invoice.LineAttributes{
		Name:  in.requiredText("name", longText, "The product or service sold."),
		Units: in.textField("units", shortText, "The unit of measure."),
		Count: either(in, in.long(lineCount, apidoc.Of(readmodel.Quantity), "Not 0, with at most 6 fraction digits; default 1."),
			money.ParseQuantity),
		Price: either(in, in.long(linePrice, amount, "The unit price; default 0."), money.ParseAmount),
		BaseCount: parsedOr(in, in.field("base_count", apidoc.Of(readmodel.Quantity), "How many units the price is for; null: one.",
			inBody("How many units the price is for, above 0; default 1.")), money.ParseQuantity, money.One()),
		Discount:    discount(in, "What is taken off count times price, in percent; default 0."),
		Adjustments: adjustments(in, lineAdjustmentsField, lineAdjustment),
		VAT:         rateOf(in, &rateOfLine),
		Item: invoice.ItemAttributes{
			Description:     in.textField("description", longText, "What the product or service is, beside its name."),
			ItemNumber:      in.textField("item_number", shortText, "The performer's number of the item."),
			BuyerItemNumber: in.textField("buyer_item_number", shortText, "The client's number of the item."),
			GTIN:            in.pattern("gtin", "^[0-9]{8,14}$", "4006381333931", "The global trade item number, with its check digit."),
			Note:            in.textField("note", longText, "A note on the line."),
			PeriodFrom:      in.day("period_from", "The first day of the period that the line is for."),
			PeriodTo:        in.day("period_to", "The last day of that period."),
		},
		Total: controlTotal(in, in.long(lineTotal, amount,
			"Optional; if present, it must not differ from what the line comes to by more than 0.005. In an invoice with 2 `digits`, "+
				"a total that differs by at most 0.01 is stored as it is sent.")),
	}
}

var (
	lineAdjustmentsField = apidoc.Field{
		Name: "adjustments", As: "LineAdjustment", About: "The allowances and charges of the line.",
		Description: "The complete list of allowances and charges of the line; default: none.",
	}
	invoiceAdjustmentsField = apidoc.Field{
		Name: "adjustments", As: "InvoiceAdjustment", About: "The allowances and charges of the invoice.",
		Description: "The complete list of allowances and charges of the invoice; default: none.",
	}
	change = apidoc.Pattern(`^-?[0-9]{1,3}(\.[0-9]{1,2})?$`, "-5.00")
)

// adjustments reads a list of adjustments; null empties it.
func adjustments(
	in *input, f apidoc.Field, parse func(in *input) invoice.AdjustmentAttributes,
) domain.Optional[[]invoice.AdjustmentAttributes] {
	return listOf(in, f, "adjustment", parse)
}

// anyChange stands for a percentage that is refused.
var anyChange, _ = money.ParseChange("1")

func lineAdjustment(in *input) invoice.AdjustmentAttributes {
	a := invoice.AdjustmentAttributes{
		Reason: in.requiredText("reason", shortText, "Why the price is adjusted."),
		Percent: parsed(in, in.field("percent", change, "The percentage of what is adjusted, before any discount; null: an amount.",
			inBody("The percentage of what is adjusted, before any discount: below 0 for an allowance, above 0 for a charge.")), money.ParseChange),
		Amount: parsed(in, in.field("amount", amount, "What is added: below 0 for an allowance, above 0 for a charge.",
			inBody("What is added, with at most 2 fraction digits: below 0 for an allowance, above 0 for a charge. Required without "+
				"`percent`; with it, the amount is computed.")), money.ParseAmount),
	}
	if n, ok := in.Fields["percent"]; ok && !n.IsEmpty() && !a.Percent.IsSet() {
		a.Percent = domain.Some(anyChange)
	}
	return a
}

func invoiceAdjustment(in *input) invoice.AdjustmentAttributes {
	a := lineAdjustment(in)
	a.VAT = rateOf(in, &rateOfAdjustment)
	return a
}

// rateAbout describes a VAT rate in responses and in bodies; requests put no texts together, since they may have many lines.
type rateAbout struct{ percent, category, percentInBody, categoryInBody string }

var (
	rateOfLine = describedRate("The VAT rate of the line, in percent; null: that of the performer.",
		"The VAT category of the line; null: that of the performer.")
	rateOfAdjustment = describedRate("The VAT rate, in percent; null: that of all lines.", "The VAT category; null: that of all lines.")
)

func describedRate(percent, category string) rateAbout {
	const without = " If it is left out, it follows from "
	return rateAbout{percent, category, percent + without + "`vat_category`.", category + without +
		"`vat_percent`: `standard` above 0, and `zero` for 0. Only `standard` has a rate above 0."}
}

// rateOf reads a VAT rate.
func rateOf(in *input, about *rateAbout) invoice.RateAttributes {
	return invoice.RateAttributes{
		Percent:  nullable(in, in.field("vat_percent", percent, about.percent, inBody(about.percentInBody)), money.ParsePercent),
		Category: asCategory(in.oneOf("vat_category", performer.VATCategories, about.category, inBody(about.categoryInBody))),
	}
}

// discount reads a percentage that is taken off; an empty one is 0.
func discount(in *input, about string) domain.Optional[money.Percent] {
	return parsedOr(in, in.field("discount_percent", percent, about), money.ParsePercent, money.Percent{})
}

func asCategory(sent domain.Optional[string]) domain.Optional[performer.VATCategory] {
	category, ok := sent.Get()
	if !ok {
		return domain.Optional[performer.VATCategory]{}
	}
	return domain.Some(performer.VATCategory(category))
}

// controlTotal reads the total of a line, the last of its attributes. If another one is wrong, the expected
// total is unknown.
func controlTotal(in *input, names twoNames) domain.Optional[money.ControlTotal] {
	total := either(in, names, money.ParseControlTotal)
	if len(in.request.Wrong) > 0 {
		return domain.Optional[money.ControlTotal]{}
	}
	return total
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
		"count": "The quantity; negative for a return.",
		"price": "The unit price.",
		"total_price": "count times price, less the discount, rounded, with the adjustments; in a credit note, the part of the line of its " +
			"invoice.",
	},
	Create: `{"invoice_id":77,"name":"Delivery","units":"km","items_count":96.5,"item_price":"1.15"}`,
	Change: `{"items_count":13}`,
}

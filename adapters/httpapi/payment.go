package httpapi

import (
	"errors"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Payments returns the payment resource.
func Payments(reader readmodel.Reader[readmodel.PaymentFilter], commands *command.Payments) Resource {
	return endpoint[readmodel.PaymentFilter]{
		path:    "payment",
		table:   readmodel.Payments,
		reader:  reader,
		format:  jsonFormat,
		filter:  paymentFilter,
		record:  "Payment",
		columns: "id,date,client_id,amount,left,automatic,method,reference",
		hidden:  "performer_id,items.invoice_id",
		docs:    &paymentDocs,
		body:    fieldsOf(paymentAttributes),
		instead: map[string]string{"date": "date_from and date_to"},
	}.writing(keyedWritesOf(commands, paymentAttributes))
}

func paymentFilter(p *params) readmodel.PaymentFilter {
	f := readmodel.PaymentFilter{
		ClientIDs:    idsParam[client.ID](p, "client_id"),
		InvoiceIDs:   idsParam[invoice.ID](p, "invoice_id"),
		PerformerIDs: idsParam[performer.ID](p, "performer_id"),
		IDs:          idsParam[payment.ID](p, "id"),
		UpdatedSince: updatedSince(p),
		Ref:          refFilter(p),
	}
	f.Method = exactParam(p, "method", shortText)
	f.Reference = exactParam(p, "reference", text.Ref)
	f.Left = p.flagDescribed("left", "1: only payments of which something is left.")
	f.DateFrom, f.DateTo = datesParam(p, "payments", "date_from", "date_to", "date")
	return f
}

func exactParam(p *params, name string, limit int) string {
	p.declare(name, func() (apidoc.Schema, string) {
		return apidoc.Text(limit), "Only records with exactly this " + name + "."
	})
	return p.limited(name, limit)
}

// cents is an amount in cents.
var cents = apidoc.Pattern(`^-?[0-9]{1,12}(\.[0-9]{1,2})?$`, "57.10")

func paymentAttributes(in *input) (a payment.Attributes) {
	a.PerformerID = idField[performer.ID](in, in.field("performer_id", apidoc.ID, "The performer that was paid.", required))
	a.Date = parsedOr(in, in.field("date", apidoc.Date, "The day of the payment, such as the bank says.", required), civil.Parse, time.Time{})
	a.Amount = parsed(in, in.field("amount", cents, "What was paid; below 0: what was paid back; 0: sets what is due of invoices and "+
		"credit notes against each other.", required), money.ParseCents)
	a.ClientID = idField[client.ID](in, in.field("client_id", apidoc.ID, "Who paid; null: not known."))
	a.InvoiceID = idField[invoice.ID](in, in.field("invoice_id", apidoc.ID, "", createOnly,
		inBody("In place of `items`: the invoice that the payment is for, as far as something is due. The rest is left.")))
	a.Oldest = parsed(in, in.field("allocate", apidoc.OneOf(oldest), "", createOnly,
		inBody("In place of `items`: `oldest` allocates the payment to the invoices of the client, the oldest first.")), parseOldest).Or(false)
	a.Items = listOf(in, paymentItemsField, "item", paymentItem)
	if !a.Items.IsSet() {
		in.recordName("items[0].invoice_id", "invoice_id")
	}
	a.Method = in.textField("method", shortText, "How it was paid, in your own words.")
	a.Reference = in.textField("reference", text.Ref, "The bank's key of the payment. No other payment of the performer may have it.")
	a.Notice = in.textField("notice", longText, "")
	a.Ref = in.ref()
	return a
}

var paymentItemsField = apidoc.Field{
	Name: "items", As: "PaymentItem", About: "What the payment settles, by ascending id; an invoice has at most one item.",
	Description: "The complete set of items: an element changes the item with its `id`, or that of its invoice, or adds one, and items " +
		"that are missing are removed.",
}

const oldest = "oldest"

func parseOldest(s string) (bool, error) {
	if s != oldest {
		return false, errors.New("must be " + oldest)
	}
	return true, nil
}

func paymentItem(item *input) payment.ItemAttributes {
	a := payment.ItemAttributes{
		ID:        idField[payment.ItemID](item, item.field("id", apidoc.ID, "", inBody("The id of an item that exists."))),
		InvoiceID: idField[invoice.ID](item, item.field("invoice_id", apidoc.ID, "The invoice, or the credit note.")),
		Amount:    parsed(item, item.field("amount", cents, "How much of the payment is for it; below 0: paid back."), money.ParseCents),
		Waived: parsedOr(item, item.field("waived", cents, "What is settled without money; default 0."), money.ParseCents,
			money.Amount{}),
	}
	if reason, ok := item.oneOf("reason", payment.Reasons, "Why something is waived.").Get(); ok {
		a.Reason = domain.Some(payment.Reason(reason))
	}
	return a
}

var paymentDocs = apidoc.Docs{
	Description: "Payments settle invoices and credit notes: each of their items is for one of them. An invoice is paid once nothing is due " +
		"of it. A write that says that an invoice is paid adds an automatic payment, which only that invoice changes.",
	Operations: map[apidoc.Verb]string{
		apidoc.Update: "`items` replaces the set of items; without it they stay. `invoice_id` and `allocate` are ignored.",
		apidoc.Delete: "Its items settle nothing any more.",
	},
	Attributes: apidoc.Attributes{
		"left":       "The amount less the items.",
		"automatic":  "Whether it was added because a writer has said that an invoice is paid.",
		"created_on": "When it was recorded.",
	},
	Create: `{"performer_id":8,"date":"2024-03-20","amount":"1057.10","client_id":31,"method":"transfer","reference":"2024032000017",` +
		`"items":[{"invoice_id":77,"amount":"980","waived":"20","reason":"discount"},{"invoice_id":78,"amount":"57.10"}]}`,
	Change: `{"items":[{"invoice_id":77,"amount":"1000"}]}`,
}

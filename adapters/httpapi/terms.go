package httpapi

import (
	"fmt"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/party"
)

// termsChange is a change of terms; nil: they stay.
type termsChange = func(party.TradeTerms) party.TradeTerms

// termsOf returns the change of the terms that the field describes and read reads. Null empties them.
func termsOf(in *input, f apidoc.Field, read func(in *input, t party.TradeTerms) party.TradeTerms) termsChange {
	f.Name = "terms"
	change := objectOf(in, f, func(terms *input) termsChange {
		read(terms, party.TradeTerms{}) // finds what is wrong
		return func(before party.TradeTerms) party.TradeTerms { return read(terms, before) }
	})
	if n, ok := in.Fields[f.Name]; ok && n.IsEmpty() {
		return func(party.TradeTerms) party.TradeTerms { return party.TradeTerms{} }
	}
	return change.Or(nil)
}

func invoiceTerms(in *input) termsChange {
	return termsOf(in, apidoc.Field{
		As: "InvoiceTerms", About: "What documents say of the order, its delivery and its payment.",
		Description: "What documents say of the order, its delivery and its payment. Attributes that are left out stay; null empties all.",
	}, tradeTerms)
}

func partyTerms(in *input) termsChange {
	return termsOf(in, apidoc.Field{
		As: "PartyTerms", About: "The terms that a new invoice has, unless it has its own. Those of the client precede those of the performer.",
	}, func(in *input, t party.TradeTerms) party.TradeTerms {
		return paymentTerms(in, contractTerms(in, orderTerms(in, deliveryTerms(in, t))))
	})
}

func tradeTerms(in *input, t invoice.TradeTerms) invoice.TradeTerms {
	t.DeliveryDate = in.day("delivery_date", "The day of the delivery.").Or(t.DeliveryDate)
	t.PeriodFrom = in.day("period_from", "The first day of the period that is invoiced.").Or(t.PeriodFrom)
	t.PeriodTo = in.day("period_to", "The last day of that period.").Or(t.PeriodTo)
	t = deliveryTerms(in, t)
	t = orderTerms(in, t)
	t.SalesOrder = in.textField("sales_order", shortText, "The performer's number of the order.").Or(t.SalesOrder)
	t = contractTerms(in, t)
	t.Remittance = in.textField("remittance", shortText, "What to write on the transfer, in place of the number.").Or(t.Remittance)
	return paymentTerms(in, t)
}

func deliveryTerms(in *input, t party.TradeTerms) party.TradeTerms {
	t.DeliveryName = in.textField("delivery_name", shortText, "To whom it was delivered, if not to the client.").Or(t.DeliveryName)
	t.DeliveryStreet = in.textField("delivery_street", shortText, "The street that it was delivered to.").Or(t.DeliveryStreet)
	t.DeliveryZip = in.textField("delivery_zip", party.MaxZip, "Its postal code.").Or(t.DeliveryZip)
	t.DeliveryCity = in.textField("delivery_city", shortText, "Its city.").Or(t.DeliveryCity)
	t.DeliveryCountry = in.pattern("delivery_country", "^[A-Za-z]{2}$", "DE", "Its country, in two letters of ISO 3166.").Or(t.DeliveryCountry)
	return t
}

func orderTerms(in *input, t party.TradeTerms) party.TradeTerms {
	t.OrderReference = in.textField("order_reference", shortText, "The number of the client's order.").Or(t.OrderReference)
	return t
}

func contractTerms(in *input, t party.TradeTerms) party.TradeTerms {
	t.Contract = in.textField("contract", shortText, "The number of the contract.").Or(t.Contract)
	t.Project = in.textField("project", shortText, "The number of the project.").Or(t.Project)
	t.BuyerReference = in.textField("buyer_reference", shortText,
		"In place of the `buyer_reference` of the client's party.").Or(t.BuyerReference)
	t.PaymentTerms = in.textField("payment_terms", party.MaxPaymentTerms,
		"How it is to be paid, such as a discount for early payment.").Or(t.PaymentTerms)
	return t
}

// paymentTerms reads the means of payment, and the notes.
func paymentTerms(in *input, t party.TradeTerms) party.TradeTerms {
	t.PaymentMeans = in.pattern("payment_means", "^([0-9]{1,2}|[Zz]{3})$", "59",
		"The means of payment, as a code of UNTDID 4461: 30 is a transfer, 58 one in SEPA, 48 a card, 59 a direct debit in SEPA. "+
			"Without it, it is a transfer to the account of the performer's party.").Or(t.PaymentMeans)
	t.PaymentMeansText = in.textField("payment_means_text", shortText, "The means of payment, in words.").Or(t.PaymentMeansText)
	t.CardNumber = in.pattern("card_number", "^[0-9]{4,6}$", "1234", "The last 4 to 6 digits of the card (48, 54, 55).").Or(t.CardNumber)
	t.CardHolder = in.textField("card_holder", shortText, "Whose card it is.").Or(t.CardHolder)
	t.Mandate = in.textField("mandate", shortText, "The reference of the mandate of a direct debit (49, 59).").Or(t.Mandate)
	t.CreditorID = in.textField("creditor_id", shortText, "The creditor identifier of who collects the direct debit.").Or(t.CreditorID)
	t.DebitedIBAN = in.pattern("debited_iban", "^[A-Za-z]{2}[0-9]{2}.{11,}$", "DE02 1203 0000 0000 2020 51",
		"The account that the direct debit is taken from, as IBAN.").Or(t.DebitedIBAN)
	t.Notes = notesOf(in, t.Notes)
	return t
}

// notesOf reads a list of notes, which replaces that before.
func notesOf(in *input, before party.Notes) party.Notes {
	list, ok := listOf(in, apidoc.Field{
		Name: "notes", As: "InvoiceNote", About: "Notes, at most 10.", Description: "All notes, at most 10: those that are missing are removed.",
	}, "note", func(note *input) party.Note {
		n := party.Note{
			Text: note.requiredText("text", party.MaxNote, "The note.").Or(""),
			SubjectCode: note.pattern("subject_code", "^[A-Za-z0-9]{3}$", "AAI",
				"What the note is about, as a code of UNTDID 4451.").Or(""),
		}
		if text, isSent := note.Fields["text"]; note.documented == nil && (!isSent || text.IsEmpty()) {
			note.refuse(fault.Required, "text", "must not be empty")
		}
		return n
	}).Get()
	switch {
	case !ok:
		return before
	case len(list) > party.MaxNotes:
		in.refuse(fault.TooLong, "notes", fmt.Sprintf("must have at most %d notes", party.MaxNotes))
	}
	return party.NotesOf(list)
}

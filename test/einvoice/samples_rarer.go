package einvoice

import (
	"fmt"
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/test/fixture"
)

// rarer adds what fewer invoices have.
func (s sampler) rarer(src *billing.Source) {
	if s.IntN(4) == 0 {
		src.Seller.VATReasonCode = pick(s, performer.Exemptions...)
	}
	if s.IntN(3) == 0 {
		src.Seller.LegalText = "Sitz: Kiel & Lübeck\nAmtsgericht Kiel"
		src.Seller.SellerID, src.Seller.SellerIDScheme = pick(s, "L-1", "4012345000009"), pick(s, "", "0088", "0060", "0182")
		src.Buyer.BuyerID, src.Buyer.BuyerIDScheme = pick(s, "K <7>", "4012345000009"), pick(s, "", "0088", "0060")
	}
	if s.IntN(3) == 0 {
		src.Seller.AccountHolder, src.Buyer.AccountHolder = "Treuhand & Co.", "Ada"
	}
	if s.IntN(6) == 0 {
		src.Seller.IBAN, src.Seller.AccountNumber = "", "1234567890"
		src.Buyer.IBAN, src.Buyer.AccountNumber = "", "98-76"
	}
	if s.IntN(3) == 0 {
		for i := range src.Invoice.Lines {
			item := &src.Invoice.Lines[i].Item
			item.PeriodFrom, item.PeriodTo = s.maybe(2, pick(s, "2024-02-01", "2024-02-10")), s.maybe(2, "2024-02-20")
		}
	}
	if s.IntN(10) == 0 {
		src.Invoice.Lines[0].PeriodFrom, src.Invoice.Lines[0].PeriodTo = "2024-01-31", "2024-03-01"
	}
	s.pay(src)
	if s.IntN(3) == 0 {
		src.Invoice.Trade.Notes = s.notes()
	}
}

// all adds all that a document may have beside a plain one, and is paid by direct debit.
func all(src *billing.Source) {
	src.Seller.SellerID, src.Seller.SellerIDScheme, src.Seller.LegalText = "4012345000009", "0088", "Sitz: Kiel\nAmtsgericht Kiel"
	src.Buyer.BuyerID = "K-7"
	src.Invoice.Lines = slices.Clone(src.Invoice.Lines)
	src.Invoice.Lines[0].PeriodFrom, src.Invoice.Lines[0].PeriodTo = "2024-02-01", "2024-02-20"
	t := &src.Invoice.Trade
	t.PaymentMeans, t.PaymentMeansText, t.Mandate, t.CreditorID = "59", "SEPA-Lastschrift", "M-1", "DE98ZZZ09999999999"
	t.DebitedIBAN = "DE02500105170137075030"
	t.Notes = party.NotesOf([]party.Note{{Text: "Es gelten unsere AGB.", SubjectCode: "AAI"}, {Text: "Danke!"}})
}

// pay draws the means of payment, which a credit note does not have.
func (s sampler) pay(src *billing.Source) {
	t := &src.Invoice.Trade
	if src.Credits.Number != "" || s.IntN(2) == 0 {
		return
	}
	t.PaymentMeans = pick(s, "30", "58", "59", "59", "49", "48", "54", "55", "10", "42", "31", "50", "93", "9", "57", "68", "ZZZ")
	t.PaymentMeansText = s.maybe(2, "Überweisung & mehr")
	t.CardNumber, t.CardHolder = s.maybe(6, "123456"), s.maybe(2, "Ada <Lund>")
	t.Mandate, t.CreditorID, t.DebitedIBAN = s.maybe(6, "M-1"), s.maybe(6, "DE98ZZZ09999999999"), s.maybe(6, "DE02500105170137075030")
	if s.IntN(3) == 0 {
		t.Remittance = pick(s, "01#", "04#1234567890123456", "15#1", "71#123456789012345", "73#", "75#7")
	}
	if s.IntN(4) == 0 {
		src.Seller.IBAN, src.Seller.AccountNumber = "", pick(s, "12345678", "1234567", "140159260076")
	}
}

// early draws a discount for early payment and what was paid before, which a credit note does not have.
func (s sampler) early(src *billing.Source) {
	if src.Credits.Number != "" {
		return
	}
	if s.IntN(2) == 0 {
		src.Invoice.EarlyRate = fixture.Percent(pick(s, "2", "2.25", "0.01", "100"))
		src.Invoice.EarlyUntil = src.Invoice.Date.Truncate(24*time.Hour).AddDate(0, 0, pick(s, 0, 1, 10, 400))
	}
	if s.IntN(3) == 0 {
		src.Prepaid = src.Invoice.OwedPrice
		if s.IntN(3) != 0 {
			src.Prepaid = src.Prepaid.Percent(1 + s.IntN(99)).RoundTo(billing.Cents)
		}
	}
}

// notes draws notes, of which one may look as if it had a subject.
func (s sampler) notes() party.Notes {
	notes := make([]party.Note, 1+s.IntN(party.MaxNotes))
	for i := range notes {
		notes[i] = party.Note{Text: fmt.Sprintf("Hinweis %d\n<&>", i), SubjectCode: s.maybe(2, pick(s, party.SubjectCodes...))}
		if s.IntN(10) == 0 {
			notes[i].Text = pick(s, "Nr. #123# bitte", "#AAI#", "# 5", "#12345#")
		}
	}
	return party.NotesOf(notes)
}

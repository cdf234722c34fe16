package billing_test

import (
	"slices"
	"testing"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/party"
)

// contract 16.93, 16.94
func TestCheckKnowsMeansOfPayment(t *testing.T) {
	const mandate, creditor, debited = " BT-89 invoice/0 terms.mandate", " BT-90 invoice/0 terms.creditor_id", " BT-91 invoice/0 terms.debited_iban"
	const iban = " BT-84 performer/3/party iban"
	debit := invoice.TradeTerms{PaymentMeans: "59", Mandate: "M", CreditorID: "C", DebitedIBAN: "D"}
	without := func(change func(t *invoice.TradeTerms)) func(*billing.Source) {
		terms := debit
		change(&terms)
		return delivered(terms)
	}
	number := func(s *billing.Source) { s.Seller.IBAN, s.Seller.AccountNumber = "", "12345678" }
	abroad := func(country string) func(*billing.Source) {
		return func(s *billing.Source) { s.Seller.Country, s.Buyer.Country = country, country }
	}
	danish := func(s *billing.Source) {
		abroad("DK")(s)
		s.Seller.IBAN, s.Seller.RegistrationID, s.Seller.RegistrationScheme = "DK5000400440116243", "13585628", "0184"
	}
	for name, tt := range map[string]struct {
		change func(*billing.Source)
		form   billing.Form
		want   string
	}{
		"a direct debit":                    {delivered(debit), billing.XRechnung, ""},
		"a direct debit of nobody":          {delivered(invoice.TradeTerms{PaymentMeans: "59"}), billing.XRechnung, "BR-DE-25-a" + mandate},
		"of nobody in CII":                  {delivered(invoice.TradeTerms{PaymentMeans: "59"}), billing.XRechnungCII, "BR-DE-25-a" + mandate},
		"of nobody in Peppol":               {delivered(invoice.TradeTerms{PaymentMeans: "59"}), billing.Peppol, "PEPPOL-EN16931-R061" + mandate},
		"of nobody in the norm":             {delivered(invoice.TradeTerms{PaymentMeans: "59"}), billing.UBL, ""},
		"without a mandate":                 {without(func(t *invoice.TradeTerms) { t.Mandate = "" }), billing.XRechnung, ""},
		"without a mandate in Peppol":       {without(func(t *invoice.TradeTerms) { t.Mandate = "" }), billing.Peppol, "PEPPOL-EN16931-R061" + mandate},
		"without a creditor":                {without(func(t *invoice.TradeTerms) { t.CreditorID = "" }), billing.XRechnung, "BR-DE-30" + creditor},
		"without an account":                {without(func(t *invoice.TradeTerms) { t.DebitedIBAN = "" }), billing.XRechnungCII, "BR-DE-31" + debited},
		"without an account in Peppol":      {without(func(t *invoice.TradeTerms) { t.DebitedIBAN = "" }), billing.Peppol, "DE-R-031" + debited},
		"a creditor alone":                  {delivered(invoice.TradeTerms{PaymentMeans: "59", CreditorID: "C"}), billing.XRechnung, "BR-DE-25-a" + mandate},
		"a creditor alone in CII":           {delivered(invoice.TradeTerms{PaymentMeans: "59", CreditorID: "C"}), billing.XRechnungCII, "BR-DE-31" + debited},
		"a debit outside of SEPA":           {delivered(invoice.TradeTerms{PaymentMeans: "49"}), billing.XRechnung, ""},
		"a card":                            {delivered(invoice.TradeTerms{PaymentMeans: "48", CardNumber: "1234"}), billing.XRechnung, ""},
		"a card that nobody knows":          {delivered(invoice.TradeTerms{PaymentMeans: "54"}), billing.XRechnungCII, "BR-DE-24-a BT-87 invoice/0 terms.card_number"},
		"a card in Peppol":                  {delivered(invoice.TradeTerms{PaymentMeans: "55"}), billing.Peppol, "DE-R-024-1 BT-87 invoice/0 terms.card_number"},
		"a card in the norm":                {delivered(invoice.TradeTerms{PaymentMeans: "55"}), billing.CII, ""},
		"a transfer to nowhere":             {both(delivered(invoice.TradeTerms{PaymentMeans: "30"}), func(s *billing.Source) { s.Seller.IBAN = "" }), billing.UBL, "BR-61" + iban},
		"a transfer to nowhere in CII":      {both(delivered(invoice.TradeTerms{PaymentMeans: "58"}), func(s *billing.Source) { s.Seller.IBAN = "" }), billing.FacturX, "CII-SR-470" + iban},
		"a transfer to a number":            {both(delivered(invoice.TradeTerms{PaymentMeans: "30"}), number), billing.XRechnung, ""},
		"a transfer in SEPA to a number":    {both(delivered(invoice.TradeTerms{PaymentMeans: "58"}), number), billing.UBL, "KONTOR-IBAN" + iban},
		"cash":                              {both(delivered(invoice.TradeTerms{PaymentMeans: "10"}), func(s *billing.Source) { s.Seller.IBAN = "" }), billing.XRechnung, ""},
		"Danish cheques":                    {both(danish, delivered(invoice.TradeTerms{PaymentMeans: "20"})), billing.Peppol, "DK-R-005 BT-81 invoice/0 terms.payment_means"},
		"Danish cheques from Germany":       {both(both(danish, func(s *billing.Source) { s.Buyer.Country = "DE" }), delivered(invoice.TradeTerms{PaymentMeans: "20"})), billing.Peppol, ""},
		"a Danish account":                  {both(danish, delivered(invoice.TradeTerms{PaymentMeans: "42"})), billing.Peppol, "DK-R-006 BT-86 performer/3/party bic"},
		"no Danish account":                 {both(both(danish, delivered(invoice.TradeTerms{PaymentMeans: "31"})), func(s *billing.Source) { s.Seller.IBAN = "" }), billing.Peppol, "DK-R-006 BT-84 performer/3/party account_number"},
		"a Danish debit":                    {both(danish, delivered(invoice.TradeTerms{PaymentMeans: "49", Mandate: "M"})), billing.Peppol, "DK-R-007" + debited},
		"a Danish giro":                     {both(both(danish, number), delivered(invoice.TradeTerms{PaymentMeans: "50", Remittance: "01#"})), billing.Peppol, ""},
		"a Danish giro to an IBAN":          {both(danish, delivered(invoice.TradeTerms{PaymentMeans: "50"})), billing.Peppol, "DK-R-008 BT-83 invoice/0 terms.remittance; DK-R-008 BT-84 performer/3/party account_number"},
		"a Danish giro with few digits":     {both(both(danish, number), delivered(invoice.TradeTerms{PaymentMeans: "50", Remittance: "04#1"})), billing.Peppol, "DK-R-009 BT-83 invoice/0 terms.remittance"},
		"a FIK":                             {both(both(danish, number), delivered(invoice.TradeTerms{PaymentMeans: "93", Remittance: "71#123456789012345"})), billing.Peppol, ""},
		"a FIK without its card":            {both(danish, delivered(invoice.TradeTerms{PaymentMeans: "93"})), billing.Peppol, "DK-R-010 BT-83 invoice/0 terms.remittance; DK-R-010 BT-84 performer/3/party account_number"},
		"a FIK with few digits":             {both(both(danish, number), delivered(invoice.TradeTerms{PaymentMeans: "93", Remittance: "75#1"})), billing.Peppol, "DK-R-011 BT-83 invoice/0 terms.remittance"},
		"an Icelandic claim":                {both(both(abroad("IS"), registered("0196")), delivered(invoice.TradeTerms{PaymentMeans: "9"})), billing.Peppol, "IS-R-006 BT-84 performer/3/party account_number"},
		"an Icelandic account":              {both(both(abroad("IS"), registered("0196")), delivered(invoice.TradeTerms{PaymentMeans: "42"})), billing.Peppol, "IS-R-007 BT-84 performer/3/party account_number"},
		"cash between Dutch companies":      {both(both(abroad("NL"), registered("0106")), delivered(invoice.TradeTerms{PaymentMeans: "10"})), billing.Peppol, "NL-R-008 BT-81 invoice/0 terms.payment_means"},
		"a Dutch number":                    {both(both(abroad("NL"), registered("0106")), number), billing.Peppol, ""},
		"a note that looks as if":           {noted(party.Note{Text: "No. #123# of"}), billing.UBL, "BR-CL-08 BT-21 invoice/0 terms.notes"},
		"a notice that looks as if":         {func(s *billing.Source) { s.Invoice.Notice = "#123#" }, billing.Peppol, "BR-CL-08 BT-21 invoice/0 notice"},
		"a note that looks as if in CII":    {noted(party.Note{Text: "No. #123# of"}), billing.CII, ""},
		"a note with a subject in its text": {noted(party.Note{Text: "#AAI# #123#"}), billing.UBL, ""},
		"a note with a subject":             {noted(party.Note{Text: "#123#", SubjectCode: "REG"}), billing.XRechnung, ""},
		"a note with a hash":                {noted(party.Note{Text: "a #12345# b #123"}), billing.XRechnung, ""},
	} {
		s := complete(t)
		s.Buyer.Street = "Am Markt 1"
		tt.change(&s)
		if got := found(s, tt.form); got != tt.want {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
	}
}

func noted(n ...party.Note) func(s *billing.Source) {
	return delivered(invoice.TradeTerms{Notes: party.NotesOf(n)})
}

// registered gives both parties a number in the register with the scheme.
func registered(scheme string) func(s *billing.Source) {
	return func(s *billing.Source) {
		s.Seller.RegistrationID, s.Seller.RegistrationScheme, s.Buyer.RegistrationID, s.Buyer.RegistrationScheme = "1", scheme, "2", scheme
	}
}

// contract 16.93
func TestNothingIsTransferredWhereMoneyIsCollected(t *testing.T) {
	for code, isTransferred := range map[string]bool{"59": false, "49": false, "48": false, "54": false, "55": false, "30": true, "10": true, "": true} {
		s := complete(t)
		s.Performer.BankDetails = "Bank of the North"
		s.Invoice.Trade = invoice.TradeTerms{PaymentMeans: code, CardNumber: "1234", Mandate: "M", CreditorID: "C", DebitedIBAN: "D"}
		d := billing.New(s)
		if (d.Account.IBAN != "") != isTransferred || (d.BankDetails != "") != isTransferred {
			t.Errorf("%s has the account %+v, %q", code, d.Account, d.BankDetails)
		}
		isCard, isDebit := code == "48" || code == "54" || code == "55", code == "49" || code == "59"
		if d.HasCard() != isCard || d.HasDebit() != isDebit || (d.CreditorID() != "") != isDebit {
			t.Errorf("%s: card %t, debit %t, creditor %q", code, d.HasCard(), d.HasDebit(), d.CreditorID())
		}
	}
}

// contract 16.95
func TestNotesOfUBLHaveTheirSubjectsInFront(t *testing.T) {
	s := complete(t)
	s.Invoice.Notice = "Thanks"
	noted(party.Note{Text: "a", SubjectCode: "AAI"}, party.Note{Text: "b"})(&s)
	d := billing.New(s)
	if got, want := d.NotesOfUBL(billing.Peppol), []string{"Thanks", "#AAI#a", "b"}; !slices.Equal(got, want) {
		t.Errorf("between Germans: %q", got)
	}
	d.Buyer.Country = "FR"
	if got := (&billing.Document{Buyer: d.Buyer}).NotesOfUBL(billing.Peppol); got != nil {
		t.Errorf("without notes: %q", got)
	}
	if got, want := d.NotesOfUBL(billing.Peppol), []string{"Thanks\n#AAI#a\nb"}; !slices.Equal(got, want) {
		t.Errorf("from a German: %q", got)
	}
	if got := d.NotesOfUBL(billing.UBL); len(got) != 3 {
		t.Errorf("in the norm: %q", got)
	}
}

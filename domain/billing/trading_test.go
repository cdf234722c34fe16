package billing_test

import (
	"testing"

	"github.com/kontor-crm/kontor/domain/billing"
)

// contract 16.91
func TestCheckKnowsWhatPartiesKnowEachOtherBy(t *testing.T) {
	danish := func(s *billing.Source) {
		s.Seller.Country, s.Buyer.Country, s.Seller.IBAN = "DK", "DK", "DK5000400440116243"
		s.Seller.RegistrationID, s.Seller.RegistrationScheme = "13585628", "0184"
	}
	for name, tt := range map[string]struct {
		change func(*billing.Source)
		form   billing.Form
		want   string
	}{
		"an id identifies the seller": {func(s *billing.Source) { s.Seller.VATID, s.Seller.TaxNumber, s.Seller.SellerID = "", "1", "L-1" }, billing.UBL, ""},
		"a scheme that is no list":    {func(s *billing.Source) { s.Seller.SellerID, s.Seller.SellerIDScheme = "1", "0182" }, billing.CII, "BR-CL-10 BT-29-1 performer/3/party seller_id_scheme"},
		"a scheme of the buyer":       {func(s *billing.Source) { s.Buyer.BuyerID, s.Buyer.BuyerIDScheme = "1", "0182" }, billing.UBL, "BR-CL-10 BT-46-1 client/6/party buyer_id_scheme"},
		"a scheme without an id":      {func(s *billing.Source) { s.Buyer.BuyerIDScheme = "0182" }, billing.UBL, ""},
		"a check digit":               {func(s *billing.Source) { s.Buyer.BuyerID, s.Buyer.BuyerIDScheme = "4012345000008", "0088" }, billing.Peppol, "PEPPOL-COMMON-R040  client/6/party buyer_id"},
		"the check digit of a seller": {func(s *billing.Source) { s.Seller.SellerID, s.Seller.SellerIDScheme = "1", "0088" }, billing.Peppol, "PEPPOL-COMMON-R040  performer/3/party seller_id"},
		"Danish schemes": {
			both(danish, func(s *billing.Source) { s.Seller.SellerID, s.Buyer.BuyerID = "1", "2" }), billing.Peppol,
			"DK-R-013 BT-29-1 performer/3/party seller_id_scheme; DK-R-013 BT-46-1 client/6/party buyer_id_scheme",
		},
		"Danish schemes that there are": {
			both(danish, func(s *billing.Source) {
				s.Seller.SellerID, s.Seller.SellerIDScheme, s.Buyer.BuyerID, s.Buyer.BuyerIDScheme = "1", "0060", "2", "0060"
			}), billing.Peppol, "",
		},
		"a Danish number":      {both(danish, func(s *billing.Source) { s.Seller.IBAN, s.Seller.AccountNumber = "", "1" }), billing.Peppol, "DK-R-005 BT-84 performer/3/party iban"},
		"a number for an IBAN": {func(s *billing.Source) { s.Seller.IBAN, s.Seller.AccountNumber = "", "1" }, billing.XRechnung, ""},
	} {
		s := complete(t)
		tt.change(&s)
		if got := found(s, tt.form); got != tt.want {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
	}
}

// contract 16.91
func TestAccountIsThatOfItsHolder(t *testing.T) {
	s := complete(t)
	s.Seller.AccountHolder, s.Seller.AccountNumber, s.Seller.BIC = "Ada", "7", "BYLADEM1001"
	if got, want := billing.New(s).Account, (billing.Account{Holder: "Ada", IBAN: "DE02120300000000202051", BIC: "BYLADEM1001"}); got != want {
		t.Errorf("%+v", got)
	}
	s.Seller.IBAN = ""
	d := billing.New(s)
	if want := (billing.Account{Holder: "Ada", Number: "7", BIC: "BYLADEM1001"}); d.Account != want || d.PaymentCode() != "30" {
		t.Errorf("%+v is paid by %s", d.Account, d.PaymentCode())
	}
	s.Credits = billing.Reference{Number: "1", Date: day}
	s.Buyer.AccountNumber = "8"
	if got, want := billing.New(s).Account, (billing.Account{Holder: billing.New(s).Buyer.Name, Number: "8"}); got != want {
		t.Errorf("the credit note is paid to %+v", got)
	}
	if s.Buyer.AccountNumber, s.Buyer.AccountHolder = "", "Bo"; billing.New(s).Account != (billing.Account{}) {
		t.Error("a holder alone is an account")
	}
}

// contract 16.92
func TestPeriodsOfLinesAreWithinThatOfTheInvoiceInPeppol(t *testing.T) {
	for name, tt := range map[string]struct {
		from, to string
		form     billing.Form
		want     string
	}{
		"the same":          {"2024-02-01", "2024-02-29", billing.Peppol, ""},
		"before the first":  {"2024-01-31", "2024-02-29", billing.Peppol, "PEPPOL-EN16931-R110 BT-134 invoice-items/7 period_from"},
		"after the last":    {"2024-02-01", "2024-03-01", billing.Peppol, "PEPPOL-EN16931-R111 BT-135 invoice-items/7 period_to"},
		"in the norm alone": {"2024-01-31", "2024-03-01", billing.UBL, ""},
		"none":              {"", "", billing.Peppol, ""},
	} {
		s := complete(t)
		s.Invoice.Trade.PeriodFrom, s.Invoice.Trade.PeriodTo = "2024-02-01", "2024-02-29"
		s.Invoice.Lines[0].ID, s.Invoice.Lines[0].PeriodFrom, s.Invoice.Lines[0].PeriodTo = 7, tt.from, tt.to
		if got := found(s, tt.form); got != tt.want {
			t.Errorf("%s: %s", name, got)
		}
		s.Invoice.Trade.PeriodFrom, s.Invoice.Trade.PeriodTo = "", ""
		if got := found(s, billing.Peppol); got != "" {
			t.Errorf("%s in an invoice without a period: %s", name, got)
		}
	}
}

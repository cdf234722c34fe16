package party_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
)

// contract 16.42
func TestPartyIsStoredInItsNormalForm(t *testing.T) {
	got, err := party.New(party.State{
		LegalName: "  Nordlicht Möbel GmbH ", Country: "de", VATID: "de 136.695.976", IBAN: "de02 1203 0000 0000 2020 51", BIC: "byladem1001",
		Currency: "eur", ContactEmail: "a@example.org", PaymentDays: domain.Some[int32](14), Language: "de",
		NumberPattern: "{year}-{seq:4}", Numbering: "series", CreditPattern: "G{seq}", EndpointScheme: "em", RegistrationScheme: "0002",
		VATReasonCode: " vatex-eu-132-1i", AccountHolder: " Ada", AccountNumber: "12 34 ", SellerID: "a ", SellerIDScheme: " 0088", LegalText: " Sitz\nKiel ",
		BuyerID: " b", BuyerIDScheme: "0060 ",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := party.State{
		LegalName: "Nordlicht Möbel GmbH", Country: "DE", VATID: "DE136695976", IBAN: "DE02120300000000202051", BIC: "BYLADEM1001",
		Currency: "EUR", ContactEmail: "a@example.org", PaymentDays: domain.Some[int32](14), Language: "de",
		NumberPattern: "{year}-{seq:4}", Numbering: "series", CreditPattern: "G{seq}", EndpointScheme: "EM", RegistrationScheme: "0002",
		Digits: 2, VATReasonCode: "VATEX-EU-132-1I", AccountHolder: "Ada", AccountNumber: "12 34", SellerID: "a", SellerIDScheme: "0088",
		LegalText: "Sitz\nKiel", BuyerID: "b", BuyerIDScheme: "0060",
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got.Pattern(performer.InvoiceSeries).Number(2026, 3) != "2026-0003" || got.Pattern(performer.CreditSeries).Number(2026, 3) != "G3" {
		t.Error("the patterns are exchanged")
	}
}

func TestPartyWithoutAttributesHasDefaults(t *testing.T) { // contract 16.40
	got, err := party.New(party.State{})
	if want := (party.State{Digits: 4, Numbering: "manual"}); err != nil || got != want || got.InCents() {
		t.Errorf("%+v, %v", got, err)
	}
}

// contract 16.42, 16.43, 12.97
func TestPartyNamesEveryWrongField(t *testing.T) {
	wrong := party.State{
		LegalName: "a\x00", Zip: "123456789012345678901234567890123", Country: "XY", VATID: "DE136695975", RegistrationScheme: "1", IBAN: "DE03120300000000202051",
		BIC: "BYLA1001", ContactEmail: "a", EndpointScheme: "XX", PaymentDays: domain.Some[int32](-1), Language: "tlh", Currency: "EURO",
		VATCategory: "none", Digits: 3, Numbering: "auto", NumberPattern: "{year}", CreditPattern: "{seq}{x}",
		VATReasonCode: "VATEX-EU-", AccountHolder: "\x00", AccountNumber: strings.Repeat("1", party.MaxCode+1), SellerID: "\x01", SellerIDScheme: "88",
		LegalText: strings.Repeat("x", party.MaxLegalText+1), BuyerID: "\x02", BuyerIDScheme: "GLN",
	}
	got, err := party.New(wrong)
	if got != (party.State{Digits: 4, Numbering: "manual"}) {
		t.Errorf("the wrong ones leave %+v", got)
	}
	before := party.State{
		LegalName: "a", Zip: "b", Country: "DE", VATID: "c", RegistrationScheme: "0088", IBAN: "d", BIC: "e", ContactEmail: "f", EndpointScheme: "EM",
		PaymentDays: domain.Some[int32](1), Language: "de", Currency: "EUR", VATCategory: "zero", Digits: 2, Numbering: "series", NumberPattern: "{seq}",
		CreditPattern: "C{seq}", VATReasonCode: "VATEX-EU-O", AccountHolder: "g", AccountNumber: "h", SellerID: "i", SellerIDScheme: "0060",
		LegalText: "j", BuyerID: "k", BuyerIDScheme: "0061",
	}
	if got, _ := party.Change(before, wrong); got != before {
		t.Errorf("before they were %+v, the wrong ones leave %+v", before, got)
	}
	var fields []string
	for _, f := range fault.As(err).Fields {
		fields = append(fields, f.Name)
	}
	want := []string{
		"legal_name", "zip", "country", "vat_id", "registration_scheme", "iban", "bic", "contact_email", "endpoint_scheme", "payment_days", "language",
		"currency", "vat_category", "vat_reason_code", "digits", "numbering", "number_pattern", "credit_pattern",
		"account_holder", "account_number", "seller_id", "seller_id_scheme", "legal_text", "buyer_id", "buyer_id_scheme",
	}
	if !slices.Equal(fields, want) {
		t.Errorf("got %q, want %q", fields, want)
	}
}

func TestPartyChecksPatternsTogether(t *testing.T) { // contract 16.43
	for name, s := range map[string]party.State{
		"number_pattern": {Numbering: "series"},
		"credit_pattern": {NumberPattern: "R{seq}", CreditPattern: "R{seq:4}"},
	} {
		_, err := party.New(s)
		if f := fault.As(err); f == nil || len(f.Fields) != 1 || f.Fields[0].Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// contract 16.42
func TestVATIDs(t *testing.T) {
	right := []string{
		"ATU13585627", "BE0428759497", "BE0403170701", "BG175074752", "CY10259033P", "CZ25123891",
		"DE136695976", "DE129273398", "DK13585628", "EE100931558", "EL094259216",
		"ESB58378431", "ES54362315K", "ESX2482300W", "ESJ99216582", "FI20774740", "FR40303265045", "FRK7399859412", "HR33392005961", "HU12892312",
		"IE6433435F", "IT00743110157", "LT119511515", "LU15027442", "LV40003521600", "MT11679112", "NL004495445B01", "NL123456789B13", "PL8567346215",
		"PT501964843", "PT501000070", "RO18547290", "SE123456789701", "SI50223054", "SK2022749619", "XI123456789",
		"GB980780684", "CHE123456788MWST", "US12-3456789",
	}
	for _, id := range right {
		if _, err := party.New(party.State{VATID: id}); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	wrong := []string{
		"ATU13585626", "BE0428759498", "DE136695977", "DE13669597", "DK13585627", "EE100931557", "EL094259215", "ESB58378432", "ES54362315A", "FI20774741",
		"FR41303265045", "HR33392005962", "HU12892311", "IT00743110158", "LU15027443", "MT11679113", "NL123456789B14", "PL8567346216",
		"PT501964842", "SE123456789702", "SE123456788701", "SK2022749618", "QQ12345678", "1", "12", "D", "DE", "ÄÖ123456",
	}
	for _, id := range wrong {
		if _, err := party.New(party.State{VATID: id}); err == nil {
			t.Errorf("%s is taken for a VAT id", id)
		}
	}
}

// contract 16.42
func TestIBANsAndBICs(t *testing.T) {
	for _, s := range []party.State{
		{IBAN: "GB29NWBK60161331926819"}, {IBAN: "NO93 8601 1117 947"}, {IBAN: "MT84MALT011000012345MTLCAST001S"}, {BIC: "DEUTDEFF"}, {BIC: "NEDSZAJJXXX"},
	} {
		if _, err := party.New(s); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, s := range []party.State{
		{IBAN: "GB29NWBK60161331926818"}, {IBAN: "NO698601111794"}, {IBAN: "QQ60 8601 1117 947"}, {IBAN: "é"},
		{BIC: "DEUTQQFF"}, {BIC: "DEUTDEF"}, {BIC: "DEUTDEFF1"},
	} {
		if _, err := party.New(s); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

func TestCountriesAndCurrencies(t *testing.T) { // contract 16.42
	for code, want := range map[string]bool{"DE": true, "GB": true, "XK": true, "EU": false, "UK": false, "DEU": false, "419": false, "ZZ": false} {
		if _, err := party.New(party.State{Country: code}); (err == nil) != want {
			t.Errorf("country %s: %v", code, err)
		}
	}
	for code, want := range map[string]bool{"EUR": true, "PLN": true, "XXX": false, "EURO": false, "ABC": false} {
		if _, err := party.New(party.State{Currency: code}); (err == nil) != want {
			t.Errorf("currency %s: %v", code, err)
		}
	}
}

// contract 16.42
func TestPaymentIsDueWithinTenYears(t *testing.T) {
	for days, want := range map[int32]fault.Code{
		-1: fault.OutOfRange, 0: "", party.MaxPaymentDays: "", party.MaxPaymentDays + 1: fault.OutOfRange,
	} {
		var code fault.Code
		_, err := party.New(party.State{PaymentDays: domain.Some(days)})
		if f := fault.As(err); f != nil {
			code = f.Fields[0].Code
		}
		if code != want {
			t.Errorf("%d days: %v", days, err)
		}
	}
}

// contract 16.57
func TestPatternDoesNotMakeNumbersOfDrafts(t *testing.T) {
	for _, pattern := range []string{"draft-{seq}", "Draft-{year}{seq:3}", "DRAFT-7{seq}"} {
		_, err := party.New(party.State{Numbering: party.Series, NumberPattern: pattern})
		_, ofCredits := party.New(party.State{CreditPattern: pattern})
		for field, err := range map[string]error{"number_pattern": err, "credit_pattern": ofCredits} {
			if f := fault.As(err); f == nil || len(f.Fields) != 1 || f.Fields[0].Name != field {
				t.Errorf("%s as %s: %v", pattern, field, err)
			}
		}
	}
	if _, err := party.New(party.State{Numbering: party.Series, NumberPattern: "draft-{year}-{seq}"}); err != nil {
		t.Error(err)
	}
}

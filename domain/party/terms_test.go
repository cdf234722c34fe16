package party_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/party"
)

func note(text, subject string) party.Note { return party.Note{Text: text, SubjectCode: subject} }

// checked returns the terms in their normal form and what is wrong.
func checked(t, before party.TradeTerms) (party.TradeTerms, string) {
	var c fault.Collector
	t = t.Checked(&c, before)
	if err := c.Err(); err != nil {
		return t, strings.TrimPrefix(err.Error(), "invalid: ")
	}
	return t, ""
}

// contract 10.171
func TestTermsHaveMeansOfPayment(t *testing.T) {
	got, wrong := checked(party.TradeTerms{
		PaymentMeans: " zzz", PaymentMeansText: " by card ", CardNumber: " 123456 ", CardHolder: " Ada", Mandate: "M 1 ", CreditorID: " DE98ZZZ",
		DebitedIBAN: "de02 1203 0000 0000 2020 51",
	}, party.TradeTerms{})
	want := party.TradeTerms{
		PaymentMeans: "ZZZ", PaymentMeansText: "by card", CardNumber: "123456", CardHolder: "Ada", Mandate: "M 1", CreditorID: "DE98ZZZ",
		DebitedIBAN: "DE02120300000000202051",
	}
	if got != want || wrong != "" {
		t.Errorf("%+v, %s", got, wrong)
	}
	long := strings.Repeat("x", 256)
	for _, tt := range []struct {
		terms party.TradeTerms
		wrong string
	}{
		{party.TradeTerms{PaymentMeans: "71"}, "terms.payment_means must be a code of UNTDID 4461, such as 59 for a direct debit in SEPA"},
		{party.TradeTerms{CardNumber: "123"}, "terms.card_number must be the last 4 to 6 digits of the card, and no more of them"},
		{party.TradeTerms{CardNumber: "4111111111111111"}, "terms.card_number must be the last 4 to 6 digits of the card, and no more of them"},
		{party.TradeTerms{DebitedIBAN: "DE03120300000000202051"}, "terms.debited_iban has a wrong check sum: a digit or letter differs from that of the account"},
		{party.TradeTerms{PaymentMeansText: long, CardHolder: long}, "terms.payment_means_text must have at most 255 characters; terms.card_holder must have at most 255 characters"},
		{party.TradeTerms{Mandate: long, CreditorID: long}, "terms.mandate must have at most 255 characters; terms.creditor_id must have at most 255 characters"},
	} {
		if got, wrong := checked(tt.terms, want); wrong != tt.wrong || got.CardNumber != "" && got.CardNumber != want.CardNumber {
			t.Errorf("%+v: %s", got, wrong)
		}
	}
}

// contract 10.172
func TestTermsHaveNotes(t *testing.T) {
	before := party.TradeTerms{Notes: party.NotesOf([]party.Note{note("old", "AAI")})}
	got, wrong := checked(party.TradeTerms{Notes: party.NotesOf([]party.Note{note(" a\nb ", " reg"), note("c", "")})}, before)
	if want := party.NotesOf([]party.Note{note("a\nb", "REG"), note("c", "")}); wrong != "" || got.Notes != want {
		t.Errorf("%+v, %s", got.Notes, wrong)
	}
	if _, wrong := checked(party.TradeTerms{Notes: party.Notes{{}, {SubjectCode: "REG"}}}, party.TradeTerms{}); wrong != "terms.notes[1].text must not be empty" {
		t.Errorf("behind none: %s", wrong)
	}
	got, wrong = checked(party.TradeTerms{Notes: party.NotesOf([]party.Note{note("a", "AAH"), note(" ", "REG"), note(strings.Repeat("x", party.MaxNote+1), "")})}, before)
	if want := "terms.notes[0].subject_code must be a code of UNTDID 4451, such as AAI for a general note; terms.notes[1].text must not be empty; " +
		"terms.notes[2].text must have at most 4096 characters"; wrong != want {
		t.Error(wrong)
	}
	if got.Notes.List()[0] != note("a", "AAI") {
		t.Errorf("a wrong subject leaves %+v", got.Notes)
	}
	for stored, terms := range map[string]party.TradeTerms{
		`{}`: {}, `{"payment_means":"10","notes":[{"text":"a","subject_code":"REG"},{"text":"b"}` + strings.Repeat(",{}", 8) + `]}`: {
			PaymentMeans: "10", Notes: party.NotesOf([]party.Note{note("a", "REG"), note("b", "")}),
		},
	} {
		var read party.TradeTerms
		written, err := json.Marshal(terms)
		if err != nil || string(written) != stored || json.Unmarshal(written, &read) != nil || read != terms {
			t.Errorf("%s, %v", written, err)
		}
	}
}

// contract 10.171, 10.172
func TestCreditNoteHasNoTermsOfPayment(t *testing.T) {
	terms := party.TradeTerms{
		Project: "a", PaymentTerms: "b", Remittance: "c", PaymentMeans: "59", PaymentMeansText: "d", CardNumber: "1234", CardHolder: "e", Mandate: "f",
		CreditorID: "g", DebitedIBAN: "h", Notes: party.NotesOf([]party.Note{note("i", "AAB"), note("j", ""), note("k", "PMT"), note("l", "REG"), note("m", "PMD")}),
	}
	want := party.TradeTerms{Project: "a", Notes: party.NotesOf([]party.Note{note("j", ""), note("l", "REG")})}
	if got := terms.Credited(); got != want {
		t.Errorf("%+v", got)
	}
}

// contract 10.173
func TestTermsOfTheClientPrecedeThoseOfThePerformer(t *testing.T) {
	all := party.TradeTerms{
		DeliveryName: "a", DeliveryStreet: "b", DeliveryZip: "c", DeliveryCity: "d", DeliveryCountry: "DE", OrderReference: "e", Contract: "f",
		Project: "g", BuyerReference: "h", PaymentTerms: "i", PaymentMeans: "59", PaymentMeansText: "j", CardNumber: "1234", CardHolder: "k",
		Mandate: "l", CreditorID: "m", DebitedIBAN: "n", Notes: party.NotesOf([]party.Note{note("o", "")}),
	}
	if got := (party.TradeTerms{}).Or(all); got != all {
		t.Errorf("none or all: %+v", got)
	}
	if got := all.Or(party.TradeTerms{PaymentMeans: "30", DeliveryName: "x", Mandate: "x", Notes: party.NotesOf([]party.Note{note("x", "")})}); got != all {
		t.Errorf("all or others: %+v", got)
	}
	got := party.TradeTerms{DeliveryCity: "Kiel", Mandate: "M"}.Or(party.TradeTerms{DeliveryZip: "1", CreditorID: "C"})
	if want := (party.TradeTerms{DeliveryCity: "Kiel", Mandate: "M", CreditorID: "C"}); got != want {
		t.Errorf("of both: %+v", got)
	}
}

// contract 10.173
func TestAddressOfADeliveryReplacesTheWhole(t *testing.T) {
	defaults := party.TradeTerms{DeliveryName: "a", DeliveryCity: "b", Project: "c"}
	got := defaults.Changed(func(t party.TradeTerms) party.TradeTerms {
		t.DeliveryCity, t.Contract = "Kiel", "d"
		return t
	})
	if want := (party.TradeTerms{DeliveryCity: "Kiel", Project: "c", Contract: "d"}); got != want {
		t.Errorf("%+v", got)
	}
	got = defaults.Changed(func(t party.TradeTerms) party.TradeTerms {
		t.Project = ""
		return t
	})
	if want := (party.TradeTerms{DeliveryName: "a", DeliveryCity: "b"}); got != want {
		t.Errorf("%+v", got)
	}
}

// contract 10.171
func TestMeansOfPaymentAreByCardByDebitOrNeither(t *testing.T) {
	for code, want := range map[string][2]bool{
		"48": {true, false}, "54": {true, false}, "55": {true, false}, "49": {false, true}, "59": {false, true}, "58": {}, "ZZZ": {}, "": {},
	} {
		if got := [2]bool{party.IsCard(code), party.IsDebit(code)}; got != want {
			t.Errorf("%q is of a card or a debit: %v", code, got)
		}
	}
}

// contract 10.171
func TestMeansOfPaymentAreThoseOfTheCodeList(t *testing.T) {
	for code, want := range map[string]bool{
		"0": false, "1": true, "70": true, "71": false, "73": false, "74": true, "78": true, "79": false, "90": false, "91": true, "98": true,
		"99": false, "ZZZ": true,
	} {
		if _, wrong := checked(party.TradeTerms{PaymentMeans: code}, party.TradeTerms{}); (wrong == "") != want {
			t.Errorf("%s is one: %s", code, wrong)
		}
	}
}

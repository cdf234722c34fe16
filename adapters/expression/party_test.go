package expression_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
)

// parties answers for the client 31 and the performer 2, which have a party, and for others, which have none.
func parties(q repository.Question) (repository.Answer, bool) {
	switch q {
	case repository.Question{Kind: repository.ClientRecord, ID: 31}:
		return repository.Answer{Record: &client.State{ID: 31}, Party: &party.State{
			LegalName: "a", Street: "b", Street2: "c", Zip: "d", City: "e", Region: "f", Country: "g", VATID: "h", TaxNumber: "i",
			RegistrationID: "j", RegistrationScheme: "k", IBAN: "l", BIC: "m", ContactName: "n", ContactPhone: "o", ContactEmail: "p",
			EndpointID: "q", EndpointScheme: "r", BuyerReference: "s", Language: "t", PaymentDays: domain.Some(int32(14)),
			DiscountPercent: must(money.ParsePercent("2")), DiscountDays: domain.Some(int32(10)),
			AccountHolder: "u", AccountNumber: "v", BuyerID: "w", BuyerIDScheme: "x", Terms: party.TradeTerms{PaymentMeans: "59"},
		}}, true
	case repository.Question{Kind: repository.PerformerRecord, ID: 2}:
		return repository.Answer{Record: &performer.State{ID: 2}, Party: &party.State{
			IBAN: "old", Currency: "a", VATCategory: "b", VATReason: "c", Numbering: "d", NumberPattern: "e", CreditPattern: "f", Digits: 2,
			Chronological: true, VATReasonCode: "g", SellerID: "h", SellerIDScheme: "i", LegalText: "j",
		}}, true
	}
	return repository.Answer{Record: &client.State{ID: client.ID(q.ID)}}, true
}

// contract 12.194, 18.30
func TestExpressionReadsParties(t *testing.T) {
	stored, other := &performer.State{ID: 2}, &performer.State{ID: 3}
	for text, in := range map[string]rule.Input{
		`[facts.client(31).party].all(p, p.legal_name + p.street + p.street2 + p.zip + p.city + p.region + p.country + p.vat_id == "abcdefgh")`: {},
		`[facts.client(31).party].all(p, p.tax_number + p.registration_id + p.registration_scheme + p.iban + p.bic == "ijklm")`:                 {},
		`[facts.client(31).party].all(p, p.contact_name + p.contact_phone + p.contact_email + p.endpoint_id + p.endpoint_scheme == "nopqr")`:    {},
		`facts.client(31).party.buyer_reference + facts.client(31).party.language == "st" && facts.client(31).party.payment_days == 14`:         {},
		`[facts.performer(2).party].all(p, p.currency + p.vat_category + p.vat_reason + p.numbering + p.number_pattern + p.credit_pattern + p.vat_reason_code == "abcdefg")`: {
			After: other},
		`[facts.client(31).party].all(p, p.account_holder + p.account_number + p.buyer_id + p.buyer_id_scheme == "uvwx" && p.terms.payment_means == "59")`: {},
		`[facts.performer(2).party].all(p, p.account_number + p.seller_id + p.seller_id_scheme + p.legal_text == "hij")`:                                   {},
		`facts.performer(2).party.digits == 2 && facts.performer(2).party.chronological && facts.performer(2).party.payment_days == null`:                  {},
		`[facts.client(31).party].all(p, p.discount_percent == 2 && p.discount_days == 10)`:                                                                {},
		`[facts.performer(2).party].all(p, p.discount_percent == 0 && p.discount_days == null)`:                                                            {},
		`facts.client(7).party == null && facts.client(31).party != null`:                                                                                  {},
		`before.party != null && before.party.iban == "old" && after.party != null && after.party.iban == "old"`:                                           {Before: stored, After: stored},
		`before.party == null && after.party == null`:                                                                                                      {Before: other, After: other},
		`before.party != null && before.party.iban == "old" && after.party == null`:                                                                        {Before: stored, After: stored, Party: &rule.PartyChange{Before: &party.State{IBAN: "old"}}},
		`before.party == null && after.party != null && after.party.iban == "new" && facts.performer(2).party.iban == "old"`:                               {Before: stored, After: stored, Party: &rule.PartyChange{After: &party.State{IBAN: "new"}}},
		`before.party != null && after == null`:                                                                                                            {Before: stored},
		`after.party == null && before == null`:                                                                                                            {After: &performer.State{}}, // it is new
		`after.party == null && after.id == null`:                                                                                                          {After: stored, HidesID: true},
	} {
		in.Fact = parties
		e, err := compile(t, "performer", text, "no")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if j := e.Judge(context.Background(), in); !j.Passes || j.Err != nil {
			t.Errorf("%s: %+v", text, j)
		}
	}
}

func TestExpressionAsksForAPartyOnce(t *testing.T) {
	e, err := compile(t, "performer", `before.party != null && after.party != null && before.party.iban == after.party.iban`, "no")
	if err != nil {
		t.Fatal(err)
	}
	want := []repository.Question{{Kind: repository.PerformerRecord, ID: 2}}
	j := e.Judge(context.Background(), rule.Input{Before: &performer.State{ID: 2}, After: &performer.State{ID: 2}})
	if diff := cmp.Diff(want, j.Missing); diff != "" || e.Facts() != repository.FactsOf(repository.PerformerRecord) {
		t.Errorf("facts %b, -want +got\n%s", e.Facts(), diff)
	}
}

// contract 12.113
func TestPartyMayBeNull(t *testing.T) {
	for text, want := range map[string]string{
		`after.party.iban != ""`: `line 1, column 6: after.party may be null, for which the rule fails: ` +
			`compare it with null first, such as after.party != null && …`,
		`after.party != null && after.party.payment_days > 14`: `line 1, column 35: after.party.payment_days may be null, ` +
			`for which the rule fails: compare it with null first, such as after.party.payment_days != null && …`,
		`has(after.party)`:                 `line 1, column 4: has cannot be applied to a party and its attributes: compare them with null or ""`,
		`has(after.party.iban)`:            `line 1, column 4: has cannot be applied to a party and its attributes: compare them with null or ""`,
		`has(facts.client(1).party)`:       `line 1, column 4: has cannot be applied to a party and its attributes: compare them with null or ""`,
		`facts.client(1).party.digits > 2`: `line 1, column 22: there is no attribute digits; expected one of ` + partyList("client"),
		`after.party.ibann == ""`:          `line 1, column 12: there is no attribute ibann; expected one of ` + partyList("performer"),
	} {
		if _, err := compile(t, "performer", text, "no"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	e, err := compile(t, "performer", `facts.client(7).party.iban == ""`, "no")
	if err != nil {
		t.Fatal(err)
	}
	if j := e.Judge(context.Background(), rule.Input{After: &performer.State{}, Fact: parties}); j.Err == nil || !strings.Contains(j.Err.Error(), "a party if the record has none") {
		t.Errorf("an attribute of no party: %+v", j)
	}
}

func partyList(resource string) string { return strings.Join(partyNames(resource), ", ") }

func partyNames(resource string) (names []string) {
	for _, a := range expression.AttributesOfParty(resource) {
		name, _, _ := strings.Cut(a, " ")
		names = append(names, name)
	}
	return names
}

// contract 12.194
func TestPartyHasTheAttributesOfTheAPI(t *testing.T) {
	for resource, table := range map[string]*readmodel.Resource{"client": readmodel.ClientParties, "performer": readmodel.PerformerParties} {
		want := []string{"id"}
		want = append(want, partyNames(resource)...)
		var got []string
		for _, a := range table.Attributes {
			got = append(got, a.Name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s: -API +rules\n%s", resource, diff)
		}
	}
	if _, err := compiler.Compile(ruledef.State{Name: "a", Resource: "client", Expression: "true", Message: "no", Field: "party"}); err != nil {
		t.Error(err)
	}
}

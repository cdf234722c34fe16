package agreement_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/deal"
)

var (
	at   = time.Date(2024, 3, 4, 9, 30, 15, 0, time.UTC)
	date = time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
)

// storedOffer is an offer with all attributes.
func storedOffer() agreement.State[agreement.OfferID] {
	return agreement.State[agreement.OfferID]{ID: 3, Version: 2, DealID: 7, Number: "O-1", Date: date, Notice: "Valid for a month", CreatedOn: at}
}

func TestNewAgreementHasItsAttributes(t *testing.T) { // contract 7.20
	d, err := agreement.New[agreement.ContractID](agreement.Attributes{
		DealID: domain.Some(deal.ID(7)), Number: domain.Some(" C-1 "),
		Date: domain.Some(date.Add(time.Nanosecond)), Notice: domain.Some("\tSigned\n"),
	}, at)
	if err != nil {
		t.Fatal(err)
	}
	want := agreement.State[agreement.ContractID]{DealID: 7, Number: "C-1", Date: date, Notice: "Signed", CreatedOn: at}
	if diff := cmp.Diff(want, d.State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	bare, err := agreement.New[agreement.OfferID](agreement.Attributes{DealID: domain.Some(deal.ID(7)), Number: domain.Some("1")}, at)
	if err != nil {
		t.Fatal(err)
	}
	if s := bare.State(); !s.Date.IsZero() || s.Notice != "" {
		t.Errorf("date %v and notice %q that were not sent", s.Date, s.Notice)
	}
}

func TestNewAgreementNeedsADealAndANumber(t *testing.T) { // contract 7.20, 3.3
	_, err := agreement.New[agreement.OfferID](agreement.Attributes{}, at)
	if got, want := fmt.Sprint(err), "invalid: deal_id is required; number is required"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAgreementUpdateChangesOnlyItsAttributes(t *testing.T) { // contract 4.56, 4.57
	for name, tt := range map[string]struct {
		sent agreement.Attributes
		want func(s *agreement.State[agreement.OfferID])
	}{
		"nothing":       {agreement.Attributes{}, func(*agreement.State[agreement.OfferID]) {}},
		"the deal":      {agreement.Attributes{DealID: domain.Some(deal.ID(8))}, func(s *agreement.State[agreement.OfferID]) { s.DealID = 8 }},
		"the number":    {agreement.Attributes{Number: domain.Some("O-2")}, func(s *agreement.State[agreement.OfferID]) { s.Number = "O-2" }},
		"the date":      {agreement.Attributes{Date: domain.Some(at)}, func(s *agreement.State[agreement.OfferID]) { s.Date = at }},
		"no date":       {agreement.Attributes{Date: domain.Some(time.Time{})}, func(s *agreement.State[agreement.OfferID]) { s.Date = time.Time{} }},
		"an empty note": {agreement.Attributes{Notice: domain.Some(" ")}, func(s *agreement.State[agreement.OfferID]) { s.Notice = "" }},
	} {
		t.Run(name, func(t *testing.T) {
			d, want := agreement.Restore(storedOffer()), storedOffer()
			tt.want(&want)
			if err := d.Update(tt.sent); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, d.State()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestAgreementUpdateNamesEveryWrongFieldAndChangesNothing(t *testing.T) { // contract 3.3, 4.57, 4.69,
	// 10.7
	for _, tt := range []struct {
		sent agreement.Attributes
		want string
	}{
		{
			agreement.Attributes{DealID: domain.Some(deal.ID(0)), Number: domain.Some(" "), Notice: domain.Some("x")},
			"invalid: deal_id must not be empty; number must not be empty",
		},
		{
			agreement.Attributes{
				DealID: domain.Some(deal.ID(9)), Number: domain.Some(strings.Repeat("x", 65)),
				Date: domain.Some(time.Date(1899, 12, 31, 0, 0, 0, 0, time.UTC)), Notice: domain.Some(strings.Repeat("x", 65_536)),
			},
			"invalid: number must have at most 64 characters; date must be in the years 1900 to 9999; notice must have at most 65535 characters",
		},
	} {
		d := agreement.Restore(storedOffer())
		if err := d.Update(tt.sent); fmt.Sprint(err) != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
		if diff := cmp.Diff(storedOffer(), d.State()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

func TestAgreementSameComparesInstantsWhateverTheirForm(t *testing.T) {
	elsewhere := storedOffer()
	elsewhere.Date, elsewhere.CreatedOn = date.In(time.FixedZone("", 3600)), at.In(time.FixedZone("", 3600))
	if !agreement.Same(storedOffer(), elsewhere) {
		t.Error("another form of the same instants makes a difference")
	}
	for name, change := range map[string]func(s *agreement.State[agreement.OfferID]){
		"id":         func(s *agreement.State[agreement.OfferID]) { s.ID++ },
		"version":    func(s *agreement.State[agreement.OfferID]) { s.Version++ },
		"deal":       func(s *agreement.State[agreement.OfferID]) { s.DealID++ },
		"number":     func(s *agreement.State[agreement.OfferID]) { s.Number = "" },
		"date":       func(s *agreement.State[agreement.OfferID]) { s.Date = time.Time{} },
		"notice":     func(s *agreement.State[agreement.OfferID]) { s.Notice = "" },
		"created on": func(s *agreement.State[agreement.OfferID]) { s.CreatedOn = date },
	} {
		other := storedOffer()
		change(&other)
		if agreement.Same(storedOffer(), other) {
			t.Errorf("another %s makes no difference", name)
		}
	}
}

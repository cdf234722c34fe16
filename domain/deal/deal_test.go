package deal_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/user"
)

var (
	monday  = time.Date(2024, 3, 4, 9, 0, 0, 0, time.UTC)
	tuesday = monday.AddDate(0, 0, 1)
)

const (
	owner   user.ID          = 3
	initial catalog.StatusID = 5
)

var roof = deal.State{
	ID: 1, Version: 4, Name: "Roof", ClientID: 11, UserID: owner, TypeID: 12, StatusID: 13,
	CreatedAt: monday, UpdatedAt: monday,
}

func TestNewDealHasDefaults(t *testing.T) { // contract 7.4
	d, err := deal.New(owner, initial, deal.Attributes{Name: domain.Some("Roof")}, monday)
	if err != nil {
		t.Fatal(err)
	}
	want := deal.State{Name: "Roof", UserID: owner, StatusID: initial, CreatedAt: monday, UpdatedAt: monday}
	if diff := cmp.Diff(want, d.State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestNewDealHasItsAttributes(t *testing.T) {
	d, err := deal.New(owner, 0, deal.Attributes{
		Name:     domain.Some("Roof"),
		ClientID: domain.Some(client.ID(11)),
		UserID:   domain.Some(user.ID(8)),
		TypeID:   domain.Some(catalog.DealTypeID(12)),
		StatusID: domain.Some(catalog.StatusID(13)),
	}, monday)
	if err != nil {
		t.Fatal(err)
	}
	want := deal.State{Name: "Roof", ClientID: 11, UserID: 8, TypeID: 12, StatusID: 13, CreatedAt: monday, UpdatedAt: monday}
	if diff := cmp.Diff(want, d.State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestNewDealNamesEveryWrongField(t *testing.T) {
	name := domain.Some("Roof")
	for _, tt := range []struct {
		name    string
		initial catalog.StatusID
		a       deal.Attributes
		want    string
	}{
		{
			"no default status: contract 7.4, 1.37", 0, deal.Attributes{},
			"invalid: name is required; status_id is required, as no status is the default: name one, or make one the default",
		},
		{"null status: contract 7.4", initial, deal.Attributes{Name: name, StatusID: domain.Some(catalog.StatusID(0))}, "invalid: status_id must not be empty"},
		{"null user: contract 7.4", initial, deal.Attributes{Name: name, UserID: domain.Some(user.ID(0))}, "invalid: user must not be empty"},
		{"a long name: contract 4.69", initial, deal.Attributes{Name: domain.Some(strings.Repeat("x", 256))}, "invalid: name must have at most 255 characters"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := deal.New(owner, tt.initial, tt.a, monday); fmt.Sprint(err) != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	const keepsClient = "conflict: the deal has invoices, so its client cannot change"
	invoiced := deal.Facts{HasInvoices: true}
	clientless := roof
	clientless.ClientID = 0

	for _, tt := range []struct {
		name   string
		from   deal.State
		a      deal.Attributes
		facts  deal.Facts
		change func(*deal.State) // nil: none, and UpdatedAt stays
		err    string
	}{
		{name: "nothing said", from: roof},
		{
			name: "all sent unchanged: contract 4.58", from: roof, facts: invoiced,
			a: deal.Attributes{
				Name: domain.Some("Roof"), ClientID: domain.Some(client.ID(11)), UserID: domain.Some(owner),
				TypeID: domain.Some(catalog.DealTypeID(12)), StatusID: domain.Some(catalog.StatusID(13)),
			},
		},
		{
			name: "only what is said changes", from: roof, facts: invoiced,
			a:      deal.Attributes{Name: domain.Some("Cellar"), StatusID: domain.Some(initial)},
			change: func(s *deal.State) { s.Name, s.StatusID = "Cellar", initial },
		},
		{
			name: "type and user change", from: roof,
			a:      deal.Attributes{TypeID: domain.Some(catalog.DealTypeID(0)), UserID: domain.Some(user.ID(9))},
			change: func(s *deal.State) { s.TypeID, s.UserID = 0, 9 },
		},
		{
			name: "another client", from: roof, a: deal.Attributes{ClientID: domain.Some(client.ID(20))},
			change: func(s *deal.State) { s.ClientID = 20 },
		},
		{
			name: "no client any more", from: roof, a: deal.Attributes{ClientID: domain.Some(client.ID(0))},
			change: func(s *deal.State) { s.ClientID = 0 },
		},
		{
			name: "the first client", from: clientless, a: deal.Attributes{ClientID: domain.Some(client.ID(20))},
			change: func(s *deal.State) { s.ClientID = 20 },
		},
		{
			name: "another client under an invoice: contract 7.17", from: roof, facts: invoiced,
			a: deal.Attributes{ClientID: domain.Some(client.ID(20)), Name: domain.Some("Cellar")}, err: keepsClient,
		},
		{
			name: "no client under an invoice: contract 7.17", from: roof, facts: invoiced,
			a: deal.Attributes{ClientID: domain.Some(client.ID(0))}, err: keepsClient,
		},
		{
			name: "the body is judged first: contract 3.25", from: roof, facts: invoiced,
			a:   deal.Attributes{ClientID: domain.Some(client.ID(20)), Name: domain.Some(""), StatusID: domain.Some(catalog.StatusID(0))},
			err: "invalid: name must not be empty; status_id must not be empty",
		},
		{
			name: "null user: contract 7.4", from: roof, a: deal.Attributes{UserID: domain.Some(user.ID(0))},
			err: "invalid: user must not be empty",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.from
			if tt.change != nil {
				tt.change(&want)
				want.UpdatedAt = tuesday
			}
			if tt.err == "" {
				tt.err = "<nil>"
			}
			d := deal.Restore(tt.from)
			if err := d.Update(tt.a, tt.facts, tuesday); fmt.Sprint(err) != tt.err {
				t.Errorf("error %v, want %s", err, tt.err)
			}
			if diff := cmp.Diff(want, d.State()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestChangesClientFollowsAttributes(t *testing.T) {
	for _, tt := range []struct {
		sent domain.Optional[client.ID]
		want bool
	}{
		{domain.Optional[client.ID]{}, false},
		{domain.Some(roof.ClientID), false},
		{domain.Some(client.ID(0)), true},
		{domain.Some(client.ID(20)), true},
	} {
		if got := deal.Restore(roof).ChangesClient(deal.Attributes{ClientID: tt.sent}); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.sent, got, tt.want)
		}
	}
}

func TestDealGainsAClientOnce(t *testing.T) { // contract 10.46
	clientless := roof
	clientless.ClientID = 0

	d := deal.Restore(clientless)
	if err := d.GainClient(11, tuesday); err != nil {
		t.Fatal(err)
	}
	want := roof
	want.UpdatedAt = tuesday
	if diff := cmp.Diff(want, d.State()); diff != "" {
		t.Errorf("the first: -want +got\n%s", diff)
	}

	if err := d.GainClient(11, tuesday.AddDate(0, 0, 1)); err != nil || d.State() != want {
		t.Errorf("the same again: %v, %+v", err, d.State())
	}
	if err := d.GainClient(20, tuesday); fmt.Sprint(err) != "conflict: the deal has another client" || d.State() != want {
		t.Errorf("another: %v, %+v", err, d.State())
	}
}

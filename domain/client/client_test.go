package client_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/user"
)

var (
	monday  = time.Date(2024, 3, 4, 9, 0, 0, 0, time.UTC)
	tuesday = monday.AddDate(0, 0, 1)
)

const owner user.ID = 3

// everything says something of every attribute but the user.
func everything(kind client.Type) client.Attributes {
	return client.Attributes{
		Type:           domain.Some(kind),
		Name:           domain.Some("Nord & Co"),
		Email:          domain.Some("post@nord.example"),
		Phone:          domain.Some("+49 1"),
		RealAddress:    domain.Some("Kai 1"),
		Description:    domain.Some("old friends"),
		CompanyAddress: domain.Some("Ring 2"),
		BankDetails:    domain.Some("IBAN"),
		PersonDetails:  domain.Some("born 1970"),
	}
}

func TestNewClientHasAttributesOfItsOwnTypeOnly(t *testing.T) { // contract 9.1, 9.14
	common := client.State{
		UserID: owner, Name: "Nord & Co", Email: "post@nord.example", Phone: "+49 1",
		RealAddress: "Kai 1", Description: "old friends", CreatedAt: monday, UpdatedAt: monday,
	}
	company, person := common, common
	company.Type, company.CompanyAddress, company.BankDetails = client.Company, "Ring 2", "IBAN"
	person.Type, person.PersonDetails = client.Person, "born 1970"

	for _, want := range []client.State{company, person} {
		cl, err := client.New(owner, everything(want.Type), monday)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, cl.State()); diff != "" {
			t.Errorf("type %d: -want +got\n%s", want.Type, diff)
		}
	}
}

func TestNewClientBelongsToTheOwnerUnlessGiven(t *testing.T) { // contract 7.4
	a := everything(client.Company)
	a.UserID = domain.Some(user.ID(8))
	cl, err := client.New(owner, a, monday)
	if err != nil {
		t.Fatal(err)
	}
	if got := cl.State().UserID; got != 8 {
		t.Errorf("user %d, want 8", got)
	}
}

func TestNewClientNamesEveryWrongField(t *testing.T) { // contract 3.3
	type attributes = client.Attributes
	long := func(n int) domain.Optional[string] { return domain.Some(strings.Repeat("x", n+1)) }
	company, person := domain.Some(client.Company), domain.Some(client.Person)
	name := domain.Some("Nord")
	for _, tt := range []struct {
		name string
		a    attributes
		want string
	}{
		{"nothing", attributes{}, "invalid: type is required; name is required"},
		{"a type that is none: contract 9.4", attributes{Name: name, Type: domain.Some(client.Type(0))}, "invalid: type must be 1 or 2"},
		{"an empty name", attributes{Name: domain.Some(" "), Type: person}, "invalid: name must not be empty"},
		{"no user: contract 7.4", attributes{Name: name, Type: person, UserID: domain.Some(user.ID(0))}, "invalid: user must not be empty"},
		{
			"too long", attributes{
				Type: company, Name: long(255), Phone: long(64), RealAddress: long(65535),
				Description: long(65535), CompanyAddress: long(65535), BankDetails: long(65535),
			},
			"invalid: name must have at most 255 characters; phone must have at most 64 characters; " +
				"real_address must have at most 65535 characters; description must have at most 65535 characters; " +
				"company_address must have at most 65535 characters; bank_details must have at most 65535 characters",
		},
		{"too long, persons", attributes{Type: person, Name: name, PersonDetails: long(65535)}, "invalid: person_details must have at most 65535 characters"},
		{"no email address: contract 4.71", attributes{Type: person, Name: name, Email: domain.Some("x")}, "invalid: email must be a single email address, such as ann@example.org"},
		{
			"what belongs to the other type is not looked at: contract 4.60",
			attributes{Type: person, Name: name, BankDetails: domain.Some("\x00")}, "<nil>",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := client.New(owner, tt.a, monday); fmt.Sprint(err) != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	type attributes = client.Attributes
	cl, err := client.New(owner, everything(client.Company), monday)
	if err != nil {
		t.Fatal(err)
	}
	before := cl.State()

	for _, tt := range []struct {
		name   string
		a      attributes
		change func(*client.State) // nil: none, and UpdatedAt stays
		err    string
	}{
		{name: "nothing said"},
		{name: "all sent unchanged: contract 4.58", a: everything(client.Company)},
		{name: "the type never changes: contract 9.4", a: attributes{Type: domain.Some(client.Person)}},
		{name: "the other type's attribute: contract 9.14", a: attributes{PersonDetails: domain.Some("x")}},
		{
			name: "only what is said changes: contract 4.56", a: attributes{Name: domain.Some("Süd")},
			change: func(s *client.State) { s.Name = "Süd" },
		},
		{
			name: "an optional text is emptied", a: attributes{Phone: domain.Some(""), BankDetails: domain.Some("")},
			change: func(s *client.State) { s.Phone, s.BankDetails = "", "" },
		},
		{
			name: "another user takes over", a: attributes{UserID: domain.Some(user.ID(9))},
			change: func(s *client.State) { s.UserID = 9 },
		},
		{
			name: "a required one is emptied: contract 4.57",
			a:    attributes{Name: domain.Some(""), Email: domain.Some("new@nord.example")},
			err:  "invalid: name must not be empty",
		},
		{name: "no user", a: attributes{UserID: domain.Some(user.ID(0))}, err: "invalid: user must not be empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := before
			if tt.change != nil {
				tt.change(&want)
				want.UpdatedAt = tuesday
			}
			if tt.err == "" {
				tt.err = "<nil>"
			}
			cl := client.Restore(before)
			if err := cl.Update(tt.a, tuesday); fmt.Sprint(err) != tt.err {
				t.Errorf("error %v, want %s", err, tt.err)
			}
			if diff := cmp.Diff(want, cl.State()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestClientWithAttributesTakesTheTypeOnlyWhenNew(t *testing.T) { // contract 4.60
	a := client.Attributes{Type: domain.Some(client.Person), Name: domain.Some("Mond"), PersonDetails: domain.Some("born 1970")}
	for _, tt := range []struct{ now, want client.State }{
		{client.State{}, client.State{Type: client.Person, Name: "Mond", PersonDetails: "born 1970"}},
		{client.State{ID: 7, Type: client.Company, Name: "Nord"}, client.State{ID: 7, Type: client.Company, Name: "Mond"}},
	} {
		if diff := cmp.Diff(tt.want, tt.now.With(a)); diff != "" {
			t.Errorf("client %d: -want +got\n%s", tt.now.ID, diff)
		}
	}
}

func TestClientTypeIsParsedFromItsNumber(t *testing.T) { // contract 9.4
	for n, want := range map[int64]client.Type{1: client.Company, 2: client.Person} {
		if got, ok := client.ParseType(n); got != want || !ok {
			t.Errorf("ParseType(%d) = %d, %v", n, got, ok)
		}
	}
	for _, n := range []int64{-1, 0, 3, 257, 1 << 32} { // 257 and 2^32+… are 1 and 0 in their lowest byte
		if got, ok := client.ParseType(n); ok {
			t.Errorf("ParseType(%d) = %d", n, got)
		}
	}
}

func TestClientAttributesOfTheOtherTypeHaveNoEffect(t *testing.T) { // contract 4.60, 9.14
	for kind, want := range map[client.Type][]string{
		client.Company: {"person_details"},
		client.Person:  {"company_address", "bank_details"},
		0:              nil,
	} {
		if diff := cmp.Diff(want, kind.Foreign()); diff != "" {
			t.Errorf("type %d: -want +got\n%s", kind, diff)
		}
	}
}

// contract 9.33
func TestErasedClientKeepsItsNumberRefAndTimesOnly(t *testing.T) {
	full := client.State{
		ID: 5, Version: 2, UserID: owner, Type: client.Company, Name: "Nord & Co", Email: "post@nord.example", Phone: "+49 1", RealAddress: "Kai 1",
		Description: "old friends", CompanyAddress: "Ring 2", BankDetails: "IBAN", CreatedAt: monday, UpdatedAt: monday, Ref: "k-1",
	}
	erased := client.State{
		ID: 5, Version: 2, UserID: owner, Type: client.Company, Name: client.Erased, CreatedAt: monday, UpdatedAt: tuesday, Ref: "k-1", ErasedOn: tuesday,
	}
	wednesday, thursday := tuesday.AddDate(0, 0, 1), tuesday.AddDate(0, 0, 2)
	renamed, again := erased, erased
	renamed.Name, renamed.UpdatedAt = "Nord", wednesday
	again.ErasedOn, again.UpdatedAt = thursday, thursday
	ahead, kept := erased, erased // a client of this very name, changed by a clock that was ahead
	ahead.ErasedOn, ahead.UpdatedAt = time.Time{}, wednesday
	kept.UpdatedAt = wednesday

	for _, tt := range []struct {
		name       string
		from, want client.State
		at         time.Time
	}{
		{"all of it", full, erased, tuesday},
		{"erased already", erased, erased, wednesday},
		{"erased and renamed", renamed, again, thursday},
		{"named like an erased one", ahead, kept, tuesday},
	} {
		cl := client.Restore(tt.from)
		cl.Erase(tt.at)
		if diff := cmp.Diff(tt.want, cl.State()); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

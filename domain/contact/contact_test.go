package contact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/contact"
)

var (
	toClient = contact.ToClient(7)
	toDeal   = contact.ToDeal(7)

	lena = contact.State{
		ID: 1, Version: 3, Link: toDeal, Name: "Lena", Phone: "1", Mobile: "2", Email: "lena@example.org", Rank: "buyer",
	}
	// states compares states, links included.
	states = cmp.AllowUnexported(contact.Link{})
)

func TestLinkIsToAClientOrADeal(t *testing.T) { // contract 8.2
	if id, ok := toClient.Client(); id != 7 || !ok {
		t.Errorf("client %d, %v", id, ok)
	}
	if _, ok := toClient.Deal(); ok {
		t.Error("a link to a client is one to a deal")
	}
	if id, ok := toDeal.Deal(); id != 7 || !ok {
		t.Errorf("deal %d, %v", id, ok)
	}
	if _, ok := toDeal.Client(); ok {
		t.Error("a link to a deal is one to a client")
	}
	if toClient == toDeal || toClient != contact.ToClient(7) {
		t.Error("links are compared wrongly")
	}
}

func TestNewContactHasItsAttributes(t *testing.T) {
	ct, err := contact.New(toDeal, contact.Attributes{
		Name:   domain.Some(lena.Name),
		Phone:  domain.Some(lena.Phone),
		Mobile: domain.Some(lena.Mobile),
		Email:  domain.Some(lena.Email),
		Rank:   domain.Some(lena.Rank),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := lena
	want.ID, want.Version = 0, 0
	if diff := cmp.Diff(want, ct.State(), states); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestNewContactNamesEveryWrongField(t *testing.T) {
	long := func(n int) domain.Optional[string] { return domain.Some(strings.Repeat("x", n+1)) }
	for _, tt := range []struct {
		name string
		link contact.Link
		a    contact.Attributes
		want string
	}{
		{
			"no link and no name: contract 8.11", contact.Link{}, contact.Attributes{},
			"invalid: client_id is required unless deal_id is given; deal_id is required unless client_id is given; name is required",
		},
		{
			"too long: contract 4.69, 4.71", toClient,
			contact.Attributes{Name: long(255), Phone: long(64), Mobile: long(64), Rank: long(255), Email: long(254)},
			"invalid: name must have at most 255 characters; phone must have at most 64 characters; " +
				"mobile must have at most 64 characters; email must have at most 254 characters; " +
				"rank must have at most 255 characters",
		},
		{
			"no email address: contract 4.71", toClient,
			contact.Attributes{Name: domain.Some("Lena"), Email: domain.Some("Lena <lena@example.org>")},
			"invalid: email must be a single email address, such as ann@example.org",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := contact.New(tt.link, tt.a); fmt.Sprint(err) != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		a      contact.Attributes
		change func(*contact.State)
		err    string
	}{
		{name: "nothing said: contract 4.56", change: func(*contact.State) {}, err: "<nil>"},
		{
			name: "an empty phone is removed: contract 8.16", a: contact.Attributes{Phone: domain.Some("")},
			change: func(s *contact.State) { s.Phone = "" }, err: "<nil>",
		},
		{
			name: "the others change", a: contact.Attributes{
				Name: domain.Some("Jo"), Mobile: domain.Some("3"), Email: domain.Some("jo@example.org"), Rank: domain.Some("chief"),
			},
			change: func(s *contact.State) { s.Name, s.Mobile, s.Email, s.Rank = "Jo", "3", "jo@example.org", "chief" }, err: "<nil>",
		},
		{
			name: "after an error nothing has changed", a: contact.Attributes{Name: domain.Some(""), Phone: domain.Some("9")},
			change: func(*contact.State) {}, err: "invalid: name must not be empty",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := lena
			tt.change(&want)
			ct := contact.Restore(lena)
			if err := ct.Update(tt.a); fmt.Sprint(err) != tt.err {
				t.Errorf("error %v, want %s", err, tt.err)
			}
			if diff := cmp.Diff(want, ct.State(), states); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestContactOfADealIsHandedToItsClient(t *testing.T) { // contract 7.16
	ct := contact.Restore(lena)
	ct.HandTo(20)
	want := lena
	want.Link = contact.ToClient(20)
	if diff := cmp.Diff(want, ct.State(), states); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	ct.HandTo(30)
	if ct.State() != want {
		t.Errorf("a client's contact was handed on to %v", ct.State().Link)
	}
}

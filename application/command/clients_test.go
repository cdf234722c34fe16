package command_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/fixture"
)

func of(id user.ID) client.Attributes { return client.Attributes{UserID: domain.Some(id)} }

// contract 7.4
func TestClientBelongsToItsCreatorUnlessGiven(t *testing.T) {
	t.Parallel()
	o := open(t)
	mine := done[client.ID](t)(o.clients.Create(t.Context(), o.manager(), fixture.Company()))
	if got := o.client(mine).UserID; got != o.Manager {
		t.Errorf("it belongs to %d, want %d", got, o.Manager)
	}
	a := fixture.Company()
	a.UserID = domain.Some(o.Other)
	given := done[client.ID](t)(o.clients.Create(t.Context(), o.admin(), a))
	if got := o.client(given).UserID; got != o.Other {
		t.Errorf("it belongs to %d, want %d", got, o.Other)
	}
	a.UserID = domain.Some(user.ID(0))
	for _, r := range []command.Request{o.admin(), o.manager()} { // 0 is no other user: contract 5.16
		_, err := o.clients.Create(t.Context(), r, a)
		rejected(t, err, fault.Invalid, "user")
		rejected(t, o.clients.Update(t.Context(), r, o.Client, of(0)), fault.Invalid, "user")
	}
}

// contract 5.16
func TestClientCannotBeGivenAwayByAManager(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := fixture.Company()
	a.UserID = domain.Some(o.Other)
	_, err := o.clients.Create(t.Context(), o.manager(), a)
	rejected(t, err, fault.Forbidden)
	rejected(t, o.clients.Update(t.Context(), o.manager(), o.Client, of(o.Other)), fault.Forbidden)

	// contract 3.25: nothing else that is wrong comes before it.
	worse := of(o.Other)
	worse.Name = domain.Some("")
	rejected(t, o.clients.Update(t.Context(), expecting(o.manager(), 77), o.Client, worse), fault.Forbidden)
	_, err = o.clients.Create(t.Context(), unreadable(o.manager(), "phone"), worse)
	rejected(t, err, fault.Forbidden)

	succeed(t, o.clients.Update(t.Context(), o.other(), o.Client, of(o.Other)))
	if got := o.client(o.Client).UserID; got != o.Other {
		t.Errorf("it belongs to %d, want %d, its new owner", got, o.Other)
	}
	rejected(t, o.clients.Update(t.Context(), o.other(), o.Client, of(o.Manager)), fault.Forbidden)
	succeed(t, o.clients.Update(t.Context(), o.admin(), o.Client, of(o.Manager)))
}

// contract 4.58
func TestClientUpdateWithThePresentUserNeedsNoPermission(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := of(o.Manager)
	a.Name = domain.Some("Neuer Name")
	succeed(t, o.clients.Update(t.Context(), o.other(), o.Client, a))
	if got := o.client(o.Client); got.UserID != o.Manager || got.Name != "Neuer Name" {
		t.Errorf("it is called %q and belongs to %d", got.Name, got.UserID)
	}
}

// contract 4.58
func TestClientUpdateWithPresentValuesChangesNothing(t *testing.T) {
	t.Parallel()
	o := open(t)
	before := o.client(o.Client)
	succeed(t, o.clients.Update(t.Context(), o.manager(), o.Client, fixture.Company()))
	expect(t, before, o.client(o.Client))

	succeed(t, o.clients.Update(t.Context(), o.manager(), o.Client, client.Attributes{Phone: domain.Some("")}))
	after := before
	after.Phone, after.Version, after.UpdatedAt = "", before.Version+1, o.clock.at
	expect(t, after, o.client(o.Client))
}

// contract 4.60, 9.14
func TestClientWriteIgnoresAttributesOfTheOtherType(t *testing.T) {
	t.Parallel()
	o := open(t)
	tooLong := domain.Some(strings.Repeat("x", text.Long+1))
	foreign := map[client.Type]client.Attributes{
		client.Company: {PersonDetails: tooLong},
		client.Person:  {CompanyAddress: tooLong, BankDetails: tooLong},
	}
	for kind, a := range foreign {
		id := map[client.Type]client.ID{client.Company: o.Client, client.Person: o.OtherClient}[kind]
		before := o.client(id)
		succeed(t, o.clients.Update(t.Context(), unreadable(o.manager(), kind.Foreign()...), id, a))
		expect(t, before, o.client(id))

		a.Type, a.Name = domain.Some(kind), domain.Some("Neu")
		created := o.client(done[client.ID](t)(o.clients.Create(t.Context(), unreadable(o.manager(), kind.Foreign()...), a)))
		if created.PersonDetails != "" || created.CompanyAddress != "" || created.BankDetails != "" {
			t.Errorf("a client of type %d keeps what belongs to the other: %+v", kind, created)
		}
	}
	// What belongs to its own type is looked at.
	for _, id := range []client.ID{o.Client, o.OtherClient} {
		own := map[client.ID]string{o.Client: "bank_details", o.OtherClient: "person_details"}[id]
		rejected(t, o.clients.Update(t.Context(), unreadable(o.manager(), own), id, client.Attributes{}), fault.Invalid, own)
	}
}

// contract 9.4
func TestClientKeepsItsType(t *testing.T) {
	t.Parallel()
	o := open(t)
	before := o.client(o.Client)
	succeed(t, o.clients.Update(t.Context(), o.manager(), o.Client, client.Attributes{Type: domain.Some(client.Person)}))
	expect(t, before, o.client(o.Client))
}

// contract 9.32
func TestClientDeleteRemovesItsContacts(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := done[client.ID](t)(o.clients.Create(t.Context(), o.manager(), fixture.Person()))
	other := addContact(o, command.ContactLink{ClientID: o.Client})
	for range 3 {
		addContact(o, command.ContactLink{ClientID: id})
	}
	succeed(t, o.clients.Delete(t.Context(), o.manager(), id))
	rejected(t, o.clients.Delete(t.Context(), o.manager(), id), fault.NotFound)
	if left := o.contactsOf(contact.ToClient(id)); len(left) > 0 {
		t.Errorf("the contacts %v are left", left)
	}
	expect(t, []contact.ID{other}, o.contactsOf(contact.ToClient(o.Client)))
}

// contract 9.32
func TestClientWithDealsCannotBeDeletedAndKeepsItsContacts(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := addContact(o, command.ContactLink{ClientID: o.Client})
	rejected(t, o.clients.Delete(t.Context(), o.manager(), o.Client), fault.Conflict)
	expect(t, []contact.ID{id}, o.contactsOf(contact.ToClient(o.Client)))
}

func addContact(o *office, link command.ContactLink) contact.ID {
	o.t.Helper()
	return done[contact.ID](o.t)(o.contacts.Create(o.t.Context(), o.manager(), link, fixture.Contact()))
}

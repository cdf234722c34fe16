package command_test

import (
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/test/fixture"
)

func TestContactIsLinkedToTheClientIfThereIsOne(t *testing.T) {
	t.Parallel()
	o := open(t)
	for name, c := range map[string]struct {
		link command.ContactLink
		want contact.Link
	}{
		"contract 8.12, of a client":              {command.ContactLink{ClientID: o.Client}, contact.ToClient(o.Client)},
		"contract 8.12, of a deal":                {command.ContactLink{DealID: o.Inquiry}, contact.ToDeal(o.Inquiry)},
		"contract 8.12, of a deal that has one":   {command.ContactLink{DealID: o.Deal}, contact.ToClient(o.Client)},
		"contract 8.14, of a client and its deal": {command.ContactLink{ClientID: o.Client, DealID: o.Deal}, contact.ToClient(o.Client)},
	} {
		t.Run(name, func(t *testing.T) {
			id := done[contact.ID](t)(o.contacts.Create(t.Context(), o.manager(), c.link, fixture.Contact()))
			if got := o.contact(id).Link; got != c.want {
				t.Errorf("it is linked to %+v, want %+v", got, c.want)
			}
		})
	}
}

// contract 8.14
func TestContactLinkRejectsTheDealOfAnotherClient(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, link := range []command.ContactLink{
		{ClientID: o.Client, DealID: o.OtherDeal},
		{ClientID: o.Client, DealID: o.Inquiry},
	} {
		_, err := o.contacts.Create(t.Context(), o.manager(), link, fixture.Contact())
		rejected(t, err, fault.Invalid, "deal_id")
	}
}

func TestContactLinkThatCannotBeReadIsNotMissing(t *testing.T) {
	t.Parallel()
	o := open(t)
	asked := &recorded[contact.State]{}
	contacts := command.NewContacts(o.store, o.clock, registry(t, rule.Contacts.Rules(asked)))
	for field, wrong := range map[string][]string{
		"client_id": {"client_id"}, "deal_id": {"deal_id"}, "phone": {"phone", "client_id", "deal_id"},
	} {
		_, err := contacts.Create(t.Context(), unreadable(o.manager(), field), command.ContactLink{}, fixture.Contact())
		rejected(t, err, fault.Invalid, wrong...)
	}
	for _, c := range asked.asked {
		if id, _ := c.After.Link.Client(); id > 0 {
			t.Errorf("the rules are asked about a contact of the client %d", id)
		}
	}
}

// contract 4.60, 8.16
func TestContactUpdateKeepsItsLink(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := addContact(o, command.ContactLink{ClientID: o.Client})
	want := o.contact(id)
	succeed(t, o.contacts.Update(t.Context(), o.other(), id, contact.Attributes{Phone: domain.Some(""), Rank: domain.Some("Chefin")}))
	want.Phone, want.Rank, want.Version = "", "Chefin", 2
	expect(t, want, o.contact(id))

	rejected(t, o.contacts.Delete(t.Context(), expecting(o.manager(), 1), id), fault.Stale)
	succeed(t, o.contacts.Delete(t.Context(), expecting(o.manager(), 2), id))
	rejected(t, o.contacts.Delete(t.Context(), o.manager(), id), fault.NotFound)
}

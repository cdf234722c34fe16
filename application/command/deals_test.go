package command_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// contract 7.4
func TestDealCreateDefaultsToCreatorAndDefaultStatus(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := done[deal.ID](t)(o.deals.Create(t.Context(), o.manager(), deal.Attributes{Name: domain.Some("Neu")}))
	expect(t, deal.State{
		ID: id, Version: 1, Name: "Neu", UserID: o.Manager, StatusID: o.Default, CreatedAt: o.clock.at, UpdatedAt: o.clock.at,
	}, o.deal(id))

	a := fixture.Deal(o.Client, o.DealType)
	a.UserID, a.StatusID = domain.Some(o.Other), domain.Some(o.Status)
	id = done[deal.ID](t)(o.deals.Create(t.Context(), o.admin(), a))
	if got := o.deal(id); got.UserID != o.Other || got.StatusID != o.Status {
		t.Errorf("it belongs to %d in the status %d, want %d and %d", got.UserID, got.StatusID, o.Other, o.Status)
	}
}

// contract 7.4
func TestDealNeedsAStatus(t *testing.T) {
	t.Parallel()
	o := openEmpty(t)
	_, err := o.deals.Create(t.Context(), o.admin(), deal.Attributes{Name: domain.Some("Neu")})
	rejected(t, err, fault.Invalid, "status_id")

	o = open(t)
	null := deal.Attributes{Name: domain.Some("Neu"), StatusID: domain.Some(catalog.StatusID(0)), UserID: domain.Some(user.ID(0))}
	for _, r := range []command.Request{o.admin(), o.manager()} { // 0 is no other user: contract 5.16
		_, err = o.deals.Create(t.Context(), r, null)
		rejected(t, err, fault.Invalid, "status_id", "user")
		rejected(t, o.deals.Update(t.Context(), r, o.Deal, null), fault.Invalid, "status_id", "user")
	}
}

// contract 5.16
func TestDealCannotBeGivenAwayByAManager(t *testing.T) {
	t.Parallel()
	o := open(t)
	to := func(id user.ID) deal.Attributes { return deal.Attributes{UserID: domain.Some(id)} }
	a := fixture.Deal(0, 0)
	a.UserID = domain.Some(o.Other)
	_, err := o.deals.Create(t.Context(), o.manager(), a)
	rejected(t, err, fault.Forbidden)
	rejected(t, o.deals.Update(t.Context(), o.manager(), o.Deal, to(o.Other)), fault.Forbidden)

	// contract 3.25: nothing else that is wrong comes before it.
	worse := to(o.Other)
	worse.Name = domain.Some("")
	rejected(t, o.deals.Update(t.Context(), expecting(o.manager(), 77), o.Deal, worse), fault.Forbidden)
	_, err = o.deals.Create(t.Context(), unreadable(o.manager(), "type_id"), worse)
	rejected(t, err, fault.Forbidden)

	succeed(t, o.deals.Update(t.Context(), o.other(), o.Deal, to(o.Other)))
	if got := o.deal(o.Deal).UserID; got != o.Other {
		t.Errorf("it belongs to %d, want %d, its new owner", got, o.Other)
	}
	succeed(t, o.deals.Update(t.Context(), o.manager(), o.Deal, to(o.Other))) // unchanged: contract 4.58
	rejected(t, o.deals.Update(t.Context(), o.other(), o.Deal, to(o.Manager)), fault.Forbidden)
	succeed(t, o.deals.Update(t.Context(), o.admin(), o.Deal, to(o.Manager)))
}

// contract 7.16
func TestDealThatGainsAClientHandsItsContactsOver(t *testing.T) {
	t.Parallel()
	o := open(t)
	first, second := addContact(o, command.ContactLink{DealID: o.Inquiry}), addContact(o, command.ContactLink{DealID: o.Inquiry})
	succeed(t, o.deals.Update(t.Context(), o.manager(), o.Inquiry, deal.Attributes{Name: domain.Some("x")}))
	expect(t, []contact.ID{first, second}, o.contactsOf(contact.ToDeal(o.Inquiry)))
	succeed(t, o.deals.Update(t.Context(), o.manager(), o.Inquiry, deal.Attributes{ClientID: domain.Some(o.Client)}))
	expect(t, []contact.ID{first, second}, o.contactsOf(contact.ToClient(o.Client)))
	if left := o.contactsOf(contact.ToDeal(o.Inquiry)); len(left) > 0 {
		t.Errorf("the contacts %v are still the deal's", left)
	}

	// They stay with that client when the deal goes to another one, or to none.
	for _, next := range []client.ID{o.OtherClient, 0} {
		succeed(t, o.deals.Update(t.Context(), o.manager(), o.Inquiry, deal.Attributes{ClientID: domain.Some(next)}))
		expect(t, []contact.ID{first, second}, o.contactsOf(contact.ToClient(o.Client)))
	}
}

// contract 7.17
func TestDealWithInvoicesKeepsItsClient(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := issue(o, fixture.Invoice(o.Office))
	for _, next := range []client.ID{o.OtherClient, 0} {
		rejected(t, o.deals.Update(t.Context(), o.manager(), o.Deal, deal.Attributes{ClientID: domain.Some(next)}), fault.Conflict)
	}
	succeed(t, o.deals.Update(t.Context(), o.manager(), o.Deal, fixture.Deal(o.Client, o.DealType)))
	succeed(t, o.invoices.Delete(t.Context(), o.manager(), id))
	succeed(t, o.deals.Update(t.Context(), o.manager(), o.Deal, deal.Attributes{ClientID: domain.Some(o.OtherClient)}))
}

// contract 7.18
func TestDealDeleteRemovesContactsAndHistory(t *testing.T) {
	t.Parallel()
	o := open(t)
	addContact(o, command.ContactLink{DealID: o.Inquiry})
	succeed(t, o.deals.Delete(t.Context(), o.manager(), o.Inquiry))
	if left := o.contactsOf(contact.ToDeal(o.Inquiry)); len(left) > 0 {
		t.Errorf("the contacts %v are left", left)
	}
	o.expectHistory(o.Inquiry)
	rejected(t, o.deals.Delete(t.Context(), o.manager(), o.Inquiry), fault.NotFound)

	id := issue(o, fixture.Invoice(o.Office))
	rejected(t, o.deals.Delete(t.Context(), o.manager(), o.Deal), fault.Conflict)
	succeed(t, o.invoices.Delete(t.Context(), o.manager(), id))
	succeed(t, o.deals.Delete(t.Context(), o.manager(), o.Deal))
}

// contract 7.13
func TestDealHistoryHasUserAndTimeOfEachMove(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := done[deal.ID](t)(o.deals.Create(t.Context(), o.manager(), fixture.Deal(0, 0)))
	created := repository.DealHistoryEntry{DealID: id, StatusID: o.Default, UserID: o.Manager, CreatedOn: o.clock.at}
	o.expectHistory(id, created)

	o.clock.at = o.clock.at.AddDate(0, 0, 1)
	succeed(t, o.deals.Update(t.Context(), o.other(), id, deal.Attributes{Name: domain.Some("Nur der Name")}))
	o.expectHistory(id, created)

	succeed(t, o.deals.Update(t.Context(), o.other(), id, deal.Attributes{StatusID: domain.Some(o.Status)}))
	o.expectHistory(id, created, repository.DealHistoryEntry{DealID: id, StatusID: o.Status, UserID: o.Other, CreatedOn: o.clock.at})
}

func (o *office) expectHistory(id deal.ID, want ...repository.DealHistoryEntry) {
	o.t.Helper()
	if diff := cmp.Diff(want, o.history(id), cmpopts.EquateEmpty()); diff != "" {
		o.t.Errorf("the history: -want +got\n%s", diff)
	}
}

package derive_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

func ask(kind repository.FactKind, id int64) repository.Question {
	return repository.Question{Kind: kind, ID: id}
}

func TestSubjectsOfAChangeAreThoseWhoseAnswersItMayAlter(t *testing.T) {
	of := func(id deal.ID, c client.ID) *deal.State { return &deal.State{ID: id, ClientID: c, UserID: 4} }
	deals := func(before, after *deal.State) repository.Changes {
		return repository.Changes{Deals: []dealChange{pair(before, after)}}
	}
	ofDeal := func(c int64) []repository.Question {
		return []repository.Question{ask(repository.DealRecord, 5), ask(repository.DealsOfClient, c), ask(repository.DealsOfUser, 4)}
	}
	join := func(all ...[]repository.Question) (joined []repository.Question) {
		for _, questions := range all {
			joined = append(joined, questions...)
		}
		return joined
	}
	bill := &invoice.State{ID: 6, ClientID: 7, PerformerID: 8, Date: time.Date(2024, 3, 9, 0, 0, 0, 0, time.UTC)}
	for name, tt := range map[string]struct {
		of   repository.Changes
		want []repository.Question
	}{
		"nothing": {},
		"a user": {
			repository.Changes{Users: []repository.Change[user.State]{{After: &user.State{ID: 4}}}},
			[]repository.Question{ask(repository.UserRecord, 4)},
		},
		"a status": {
			repository.Changes{Statuses: []repository.Change[catalog.StatusState]{{Before: &catalog.StatusState{ID: 2}}}},
			[]repository.Question{ask(repository.StatusRecord, 2), repository.AllStatuses},
		},
		"a performer": {
			repository.Changes{Performers: []repository.Change[performer.State]{{After: &performer.State{ID: 8}}}},
			[]repository.Question{ask(repository.PerformerRecord, 8)},
		},
		"parties": {
			repository.Changes{Parties: []party.Owner{{Performer: 8}, {Client: 7}}},
			[]repository.Question{ask(repository.PerformerRecord, 8), ask(repository.ClientRecord, 7)},
		},
		"a client that is renamed": {
			repository.Changes{Clients: []clientChange{pair(&client.State{ID: 7}, &client.State{ID: 7, Name: "Nord"})}},
			[]repository.Question{ask(repository.ClientRecord, 7), ask(repository.ClientRecord, 7)},
		},
		"a client that is deleted": {
			repository.Changes{Clients: []clientChange{{Before: &client.State{ID: 7}}}},
			[]repository.Question{ask(repository.ClientRecord, 7), ask(repository.ContactsOfClient, 7)},
		},
		"a new deal":             {deals(nil, of(5, 7)), ofDeal(7)},
		"a deal without client":  {deals(nil, of(5, 0)), []repository.Question{ask(repository.DealRecord, 5), ask(repository.DealsOfUser, 4)}},
		"a deal that stays":      {deals(of(5, 7), of(5, 7)), join(ofDeal(7), ofDeal(7))},
		"a deal that is deleted": {deals(of(5, 7), nil), join(ofDeal(7), []repository.Question{ask(repository.ContactsOfDeal, 5)})},
		"a deal that moves": {
			deals(of(5, 7), of(5, 9)),
			join(ofDeal(7), ofDeal(9), []repository.Question{ask(repository.ContactsOfDeal, 5), ask(repository.ContactsOfClient, 9)}),
		},
		"a contact that moves": {
			repository.Changes{Contacts: []repository.Change[contact.State]{
				pair(&contact.State{Link: contact.ToClient(7)}, &contact.State{Link: contact.ToDeal(5)}),
			}},
			[]repository.Question{ask(repository.ContactsOfClient, 7), ask(repository.ContactsOfDeal, 5)},
		},
		"an offer and a contract": {
			repository.Changes{
				Offers: []offerChange{{After: &agreement.State[agreement.OfferID]{DealID: 5}}},
				Contracts: []repository.Change[agreement.State[agreement.ContractID]]{
					{Before: &agreement.State[agreement.ContractID]{DealID: 3}},
				},
			},
			[]repository.Question{ask(repository.AgreementsOfDeal, 5), ask(repository.AgreementsOfDeal, 3)},
		},
		"an invoice without a deal": {
			repository.Changes{Invoices: []repository.Change[invoice.State]{{After: bill}}},
			[]repository.Question{
				ask(repository.UnpaidInvoicesOfClient, 7), ask(repository.LinesOfInvoice, 6), {Kind: repository.NumberTaken, ID: 8, Year: 2024},
			},
		},
	} {
		if diff := cmp.Diff(tt.want, derive.Subjects(tt.of, repository.AllFacts)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	some := repository.FactsOf(repository.DealsOfUser)
	if diff := cmp.Diff([]repository.Question{ask(repository.DealsOfUser, 4)}, derive.Subjects(deals(nil, of(5, 7)), some)); diff != "" {
		t.Errorf("of one kind: -want +got\n%s", diff)
	}
}

func TestListEntryOfAnInvoiceHasItsMonth(t *testing.T) {
	s := invoice.State{
		ID: 6, Number: "R-1", CreatedOn: created, ClientID: 7, UserID: 4, TypeID: 2, Status: invoice.Paid,
		Date: time.Date(2024, 3, 31, 0, 0, 0, 0, time.UTC), PaidOn: created, TotalCount: 3,
	}
	want := derive.InvoiceEntry{
		ListEntry: common(6, "r-1"), ClientID: 7, UserID: 4, TypeID: 2, Status: invoice.Paid, Month: 2024*12 + 2, PaidOn: created, Lines: 3,
	}
	got := derive.ListChangesOf(repository.Changes{Invoices: []repository.Change[invoice.State]{{After: &s}}}, strings.ToLower).Invoices
	if diff := cmp.Diff([]repository.Change[derive.InvoiceEntry]{{After: &want}}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

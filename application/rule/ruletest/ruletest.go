// Package ruletest has test doubles for tests of rules and reactions without a database:
// Records implements rule.Facts, and Actions records what a reaction does.
package ruletest

import (
	"context"
	"slices"
	"testing"

	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"

	"github.com/kontor-crm/kontor/application/rule"
)

// Records implements rule.Facts on records in memory. For a rule they must be without the
// record that it judges, for a reaction with the change that it follows.
type Records struct {
	Clients []client.State
	// ContactList are the contacts of all clients and deals.
	ContactList []contact.State
	Deals       []deal.State
	Offers      []agreement.State[agreement.OfferID]
	Contracts   []agreement.State[agreement.ContractID]
	Invoices    []invoice.State
	Statuses    []catalog.StatusState
	Performers  []performer.State
	Parties     map[party.Owner]party.State
	Users       []user.State
	Err         error // if set, every question ends with it
}

var _ rule.Facts = Records{}

// UnpaidInvoices implements rule.Facts.
func (r Records) UnpaidInvoices(_ context.Context, id client.ID) (unpaid rule.UnpaidInvoices, _ error) {
	for _, i := range r.Invoices {
		if i.ClientID != id || i.Status != invoice.NotPaid {
			continue
		}
		unpaid.Sum = unpaid.Sum.Plus(i.Due())
		if i.Credits != 0 {
			continue
		}
		if unpaid.Count == 0 || i.Date.Before(unpaid.Oldest) {
			unpaid.Oldest = i.Date
		}
		unpaid.Count++
	}
	return unpaid, r.Err
}

// ClientDeals implements rule.Facts.
func (r Records) ClientDeals(_ context.Context, id client.ID) (map[catalog.StatusID]int, error) {
	return r.countDeals(func(d deal.State) bool { return d.ClientID == id }), r.Err
}

// UserDeals implements rule.Facts.
func (r Records) UserDeals(_ context.Context, id user.ID) (map[catalog.StatusID]int, error) {
	return r.countDeals(func(d deal.State) bool { return d.UserID == id }), r.Err
}

func (r Records) countDeals(counts func(d deal.State) bool) map[catalog.StatusID]int {
	byStatus := map[catalog.StatusID]int{}
	for _, d := range r.Deals {
		if counts(d) {
			byStatus[d.StatusID]++
		}
	}
	return byStatus
}

// DealInvoices implements rule.Facts.
func (r Records) DealInvoices(_ context.Context, id deal.ID) (map[invoice.Status]int, error) {
	byState := map[invoice.Status]int{}
	for _, i := range r.Invoices {
		if i.DealID == id {
			byState[i.Status]++
		}
	}
	return byState, r.Err
}

// DealInvoicesIssued implements rule.Facts.
func (r Records) DealInvoicesIssued(_ context.Context, id deal.ID) (n int, _ error) {
	for _, i := range r.Invoices {
		if i.DealID == id && !i.IssuedOn.IsZero() && i.Credits == 0 && i.Status != invoice.Cancelled {
			n++
		}
	}
	return n, r.Err
}

// DealAgreements implements rule.Facts.
func (r Records) DealAgreements(_ context.Context, id deal.ID) (rule.DealAgreements, error) {
	return rule.DealAgreements{Offers: countOf(r.Offers, id), Contracts: countOf(r.Contracts, id)}, r.Err
}

func countOf[ID agreement.Identifier](documents []agreement.State[ID], id deal.ID) (n int) {
	for _, d := range documents {
		if d.DealID == id {
			n++
		}
	}
	return n
}

// NumberTaken implements rule.Facts.
func (r Records) NumberTaken(_ context.Context, issuer performer.ID, year int, number string) (bool, error) {
	for _, i := range r.Invoices {
		if i.PerformerID == issuer && i.Date.Year() == year && i.Number == number {
			return true, r.Err
		}
	}
	return false, r.Err
}

// InvoiceLines implements rule.Facts.
func (r Records) InvoiceLines(_ context.Context, id invoice.ID) ([]invoice.Line, error) {
	for _, i := range r.Invoices {
		if i.ID == id {
			return i.Lines, r.Err
		}
	}
	return nil, r.Err
}

// Contacts implements rule.Facts.
func (r Records) Contacts(_ context.Context, link contact.Link) (linked []contact.State, _ error) {
	for _, c := range r.ContactList {
		if c.Link == link {
			linked = append(linked, c)
		}
	}
	return linked, r.Err
}

// AllStatuses implements rule.Facts. They are in the order of the list.
func (r Records) AllStatuses(context.Context) ([]catalog.StatusState, error) {
	return r.Statuses, r.Err
}

// Client implements rule.Facts.
func (r Records) Client(_ context.Context, id client.ID) (*client.State, error) {
	return first(r.Clients, func(s client.State) bool { return s.ID == id }), r.Err
}

// Deal implements rule.Facts.
func (r Records) Deal(_ context.Context, id deal.ID) (*deal.State, error) {
	return first(r.Deals, func(s deal.State) bool { return s.ID == id }), r.Err
}

// Status implements rule.Facts.
func (r Records) Status(_ context.Context, id catalog.StatusID) (*catalog.StatusState, error) {
	return first(r.Statuses, func(s catalog.StatusState) bool { return s.ID == id }), r.Err
}

// Performer implements rule.Facts.
func (r Records) Performer(_ context.Context, id performer.ID) (*performer.State, error) {
	return first(r.Performers, func(s performer.State) bool { return s.ID == id }), r.Err
}

// ClientParty implements rule.Facts.
func (r Records) ClientParty(_ context.Context, id client.ID) (*party.State, error) {
	return r.partyOf(party.Owner{Client: id}), r.Err
}

// PerformerParty implements rule.Facts.
func (r Records) PerformerParty(_ context.Context, id performer.ID) (*party.State, error) {
	return r.partyOf(party.Owner{Performer: id}), r.Err
}

func (r Records) partyOf(owner party.Owner) *party.State {
	if s, ok := r.Parties[owner]; ok {
		return &s
	}
	return nil
}

// User implements rule.Facts.
func (r Records) User(_ context.Context, id user.ID) (*user.State, error) {
	return first(r.Users, func(s user.State) bool { return s.ID == id }), r.Err
}

func first[S any](all []S, is func(s S) bool) *S {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return &all[i]
	}
	return nil
}

// Actions implements rule.Actions. It records the calls of a reaction in its fields, which are
// nil until the first call.
type Actions struct {
	Clients  map[client.ID]client.Attributes
	NewDeals []deal.Attributes
	Deals    map[deal.ID]deal.Attributes
	Invoices map[invoice.ID]invoice.Attributes
	Err      error // if set, every action ends with it
}

var _ rule.Actions = &Actions{}

// UpdateClient records the attributes.
func (a *Actions) UpdateClient(_ context.Context, id client.ID, attributes client.Attributes) error {
	record(&a.Clients, id, attributes)
	return a.Err
}

// CreateDeal records the attributes and returns the length of NewDeals.
func (a *Actions) CreateDeal(_ context.Context, d deal.Attributes) (deal.ID, error) {
	a.NewDeals = append(a.NewDeals, d)
	return deal.ID(len(a.NewDeals)), a.Err
}

// UpdateDeal records the attributes.
func (a *Actions) UpdateDeal(_ context.Context, id deal.ID, attributes deal.Attributes) error {
	record(&a.Deals, id, attributes)
	return a.Err
}

// UpdateInvoice records the attributes.
func (a *Actions) UpdateInvoice(_ context.Context, id invoice.ID, attributes invoice.Attributes) error {
	record(&a.Invoices, id, attributes)
	return a.Err
}

func record[ID comparable, A any](all *map[ID]A, id ID, attributes A) {
	if *all == nil {
		*all = map[ID]A{}
	}
	(*all)[id] = attributes
}

// Amount parses an amount such as "12.50", and fails the test if it is invalid.
func Amount(t testing.TB, text string) money.Amount {
	t.Helper()
	a, err := money.ParseAmount(text)
	if err != nil {
		t.Fatalf("the amount %q: %v", text, err)
	}
	return a
}

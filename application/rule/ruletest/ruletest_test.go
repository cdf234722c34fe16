package ruletest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/application/rule/ruletest"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

var newYear = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// office is the records of an office with the clients 1 and 2.
func office(t *testing.T) ruletest.Records {
	t.Helper()
	bill := func(id invoice.ID, of client.ID, s invoice.Status, days int) invoice.State {
		return invoice.State{
			ID: id, ClientID: of, DealID: deal.ID(of), PerformerID: 5, Number: "A", Status: s,
			Date: newYear.AddDate(0, 0, days), OwedPrice: ruletest.Amount(t, "1.10"), Lines: []invoice.Line{{ID: invoice.LineID(id)}},
		}
	}
	note := bill(6, 1, invoice.NotPaid, 1)
	note.Credits, note.OwedPrice, note.IssuedOn = 5, ruletest.Amount(t, "-0.10"), newYear
	issued := bill(8, 2, invoice.NotPaid, 3)
	issued.IssuedOn = newYear
	cancelled := bill(7, 2, invoice.Cancelled, 3)
	cancelled.IssuedOn = newYear
	return ruletest.Records{
		Clients:     []client.State{{ID: 1}, {ID: 2}},
		ContactList: []contact.State{{ID: 1, Link: contact.ToDeal(2)}, {ID: 2, Link: contact.ToClient(2)}},
		Statuses:    []catalog.StatusState{{ID: 3, Name: "Won"}},
		Performers:  []performer.State{{ID: 5}},
		Parties:     map[party.Owner]party.State{{Client: 1}: {City: "Kiel"}, {Performer: 5}: {City: "Bonn"}},
		Users:       []user.State{{ID: 7}},
		Deals:       []deal.State{{ID: 1, ClientID: 1, UserID: 7, StatusID: 3}, {ID: 2, ClientID: 2, UserID: 7, StatusID: 4}, {ID: 3, ClientID: 1, UserID: 8, StatusID: 3}},
		Offers:      []agreement.State[agreement.OfferID]{{DealID: 1}, {DealID: 2}, {DealID: 1}},
		Contracts:   []agreement.State[agreement.ContractID]{{DealID: 1}},
		Invoices: []invoice.State{
			bill(1, 1, invoice.NotPaid, 9), bill(3, 1, invoice.Paid, 2), note, bill(2, 1, invoice.NotPaid, 4), bill(5, 1, invoice.NotPaid, 20),
			bill(4, 2, invoice.NotPaid, -1), issued, cancelled, cancelled,
		},
	}
}

func TestRecordsAnswerAsFacts(t *testing.T) {
	ctx, facts := t.Context(), rule.Facts(office(t))
	answer := func(value any, err error) any {
		if err != nil {
			t.Error(err)
		}
		return value
	}
	type byStatus = map[catalog.StatusID]int
	taken := func(year int, number string) any {
		return answer(facts.NumberTaken(ctx, 5, year, number))
	}
	for question, c := range map[string]struct{ got, want any }{
		"unpaid invoices": {answer(facts.UnpaidInvoices(ctx, 1)), rule.UnpaidInvoices{
			Count: 3, Sum: ruletest.Amount(t, "3.20"), Oldest: newYear.AddDate(0, 0, 4),
		}},
		"no unpaid invoices":              {answer(facts.UnpaidInvoices(ctx, 3)), rule.UnpaidInvoices{}},
		"deals of a client":               {answer(facts.ClientDeals(ctx, 1)), byStatus{3: 2}},
		"deals of a user":                 {answer(facts.UserDeals(ctx, 7)), byStatus{3: 1, 4: 1}},
		"invoices of a deal":              {answer(facts.DealInvoices(ctx, 1)), map[invoice.Status]int{invoice.NotPaid: 4, invoice.Paid: 1}},
		"issued invoices of a deal":       {answer(facts.DealInvoicesIssued(ctx, 2)), 1},
		"no issued invoices":              {answer(facts.DealInvoicesIssued(ctx, 1)), 0},
		"documents of a deal":             {answer(facts.DealAgreements(ctx, 1)), rule.DealAgreements{Offers: 2, Contracts: 1}},
		"a number in its year":            {taken(2025, "A"), true},
		"a number in another year":        {taken(2024, "A"), false},
		"another number":                  {taken(2025, "B"), false},
		"lines":                           {answer(facts.InvoiceLines(ctx, 2)), []invoice.Line{{ID: 2}}},
		"lines of a missing invoice":      {answer(facts.InvoiceLines(ctx, 9)), []invoice.Line(nil)},
		"a number of another performer":   {answer(facts.NumberTaken(ctx, 6, 2025, "A")), false},
		"contacts of a client":            {answer(facts.Contacts(ctx, contact.ToClient(2))), []contact.State{{ID: 2, Link: contact.ToClient(2)}}},
		"a client":                        {answer(facts.Client(ctx, 2)), &client.State{ID: 2}},
		"no client":                       {answer(facts.Client(ctx, 3)), (*client.State)(nil)},
		"a deal":                          {answer(facts.Deal(ctx, 2)), &deal.State{ID: 2, ClientID: 2, UserID: 7, StatusID: 4}},
		"a status":                        {answer(facts.Status(ctx, 3)), &catalog.StatusState{ID: 3, Name: "Won"}},
		"all statuses":                    {answer(facts.AllStatuses(ctx)), []catalog.StatusState{{ID: 3, Name: "Won"}}},
		"a performer":                     {answer(facts.Performer(ctx, 5)), &performer.State{ID: 5}},
		"a party of a client":             {answer(facts.ClientParty(ctx, 1)), &party.State{City: "Kiel"}},
		"no party":                        {answer(facts.ClientParty(ctx, 2)), (*party.State)(nil)},
		"a party of a performer":          {answer(facts.PerformerParty(ctx, 5)), &party.State{City: "Bonn"}},
		"a user":                          {answer(facts.User(ctx, 7)), &user.State{ID: 7}},
		"documents of a deal without any": {answer(facts.DealAgreements(ctx, 3)), rule.DealAgreements{}},
	} {
		if diff := cmp.Diff(c.want, c.got, cmpopts.EquateComparable(contact.Link{}, party.State{})); diff != "" {
			t.Errorf("%s: -want +got\n%s", question, diff)
		}
	}
}

func TestRecordsEndWithTheirError(t *testing.T) {
	broken := errors.New("the database is down")
	if _, err := (ruletest.Records{Err: broken}).UnpaidInvoices(t.Context(), 1); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}

func TestActionsAreRecorded(t *testing.T) {
	var done ruletest.Actions
	to := deal.Attributes{StatusID: domain.Some(catalog.StatusID(5))}
	if err := done.UpdateDeal(t.Context(), 3, to); err != nil || done.Deals[3] != to {
		t.Errorf("UpdateDeal leaves %v (%v)", done.Deals, err)
	}
	if id, err := done.CreateDeal(t.Context(), to); err != nil || id != 1 || len(done.NewDeals) != 1 {
		t.Errorf("CreateDeal leaves %v (%d, %v)", done.NewDeals, id, err)
	}
	if err := done.UpdateClient(t.Context(), 3, client.Attributes{}); err != nil || len(done.Clients) != 1 {
		t.Errorf("UpdateClient leaves %v (%v)", done.Clients, err)
	}
	done.Err = errors.New("refused")
	if err := done.UpdateInvoice(t.Context(), 3, invoice.Attributes{}); !errors.Is(err, done.Err) || len(done.Invoices) != 1 {
		t.Errorf("UpdateInvoice leaves %v (%v)", done.Invoices, err)
	}
}

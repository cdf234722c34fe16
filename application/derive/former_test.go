package derive_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/ports/repository"
)

var (
	march = time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	april = march.AddDate(0, 1, 0)
)

func amount(t *testing.T, text string) money.Amount {
	t.Helper()
	a, err := money.ParseAmount(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// removals are changes that remove the records.
func removals[S any](states ...S) (all []repository.Change[S]) {
	for _, s := range states {
		all = append(all, repository.Change[S]{Before: &s})
	}
	return all
}

func additions[S any](states ...S) (all []repository.Change[S]) {
	for _, s := range states {
		all = append(all, repository.Change[S]{After: &s})
	}
	return all
}

func TestFormerAnswerIsAboutTheChangedRecordsBeforeTheirChanges(t *testing.T) {
	removed := repository.Changes{
		Deals: removals(
			deal.State{ID: 1, ClientID: 7, UserID: 8, StatusID: 2}, deal.State{ID: 2, ClientID: 7, UserID: 9, StatusID: 2},
			deal.State{ID: 3, ClientID: 6, UserID: 8, StatusID: 3},
		),
		Offers:    removals(document.State[document.OfferID]{ID: 1, DealID: 3}, document.State[document.OfferID]{ID: 2, DealID: 3}, document.State[document.OfferID]{ID: 3, DealID: 4}),
		Contracts: removals(document.State[document.ContractID]{ID: 1, DealID: 3}, document.State[document.ContractID]{ID: 2, DealID: 4}),
		Invoices: removals(
			invoice.State{ID: 1, ClientID: 7, DealID: 3, PerformerID: 5, Number: "R-1", Status: invoice.NotPaid, PayPrice: amount(t, "10"), Date: april},
			invoice.State{ID: 2, ClientID: 7, DealID: 3, PerformerID: 5, Number: "R-1", Status: invoice.NotPaid, PayPrice: amount(t, "5.5"), Date: march},
			invoice.State{ID: 3, ClientID: 7, DealID: 3, PerformerID: 5, Number: "R-2", Status: invoice.Paid, PayPrice: amount(t, "100"), Date: march.AddDate(-1, 0, 0)},
			invoice.State{ID: 4, ClientID: 6, DealID: 4, PerformerID: 4, Number: "R-1", Status: invoice.NotPaid, PayPrice: amount(t, "1000"), Date: march.AddDate(-1, 0, 0)},
			invoice.State{ID: 5, ClientID: 6, DealID: 4, PerformerID: 5, Number: "R-1", Status: invoice.Paid, Date: march.AddDate(-1, 0, 0)},
		),
	}
	for _, tt := range []struct {
		question repository.Question
		want     repository.Answer
	}{
		{repository.Question{Kind: repository.UnpaidInvoicesOfClient, ID: 7}, repository.Answer{Count: 2, Sum: amount(t, "15.5"), Oldest: march}},
		{repository.Question{Kind: repository.UnpaidInvoicesOfClient, ID: 5}, repository.Answer{}},
		{repository.Question{Kind: repository.DealsOfClient, ID: 7}, repository.Answer{ByStatus: map[catalog.StatusID]int{2: 2}}},
		{repository.Question{Kind: repository.DealsOfUser, ID: 8}, repository.Answer{ByStatus: map[catalog.StatusID]int{2: 1, 3: 1}}},
		{repository.Question{Kind: repository.InvoicesOfDeal, ID: 3}, repository.Answer{ByState: map[invoice.Status]int{invoice.NotPaid: 2, invoice.Paid: 1}}},
		{repository.Question{Kind: repository.DocumentsOfDeal, ID: 3}, repository.Answer{Offers: 2, Contracts: 1}},
		{repository.Question{Kind: repository.NumberTaken, ID: 5, Number: "R-1", Year: 2024}, repository.Answer{IsTaken: true}},
		{repository.Question{Kind: repository.NumberTaken, ID: 5, Number: "R-1", Year: 2024, Except: 2}, repository.Answer{IsTaken: true}},
		{repository.Question{Kind: repository.NumberTaken, ID: 5, Number: "R-3", Year: 2024}, repository.Answer{}},
		{repository.Question{Kind: repository.NumberTaken, ID: 5, Number: "R-2", Year: 2024}, repository.Answer{}},
	} {
		if diff := cmp.Diff(tt.want, derive.Former(tt.question, removed)); diff != "" {
			t.Errorf("%+v: -want +got\n%s", tt.question, diff)
		}
	}
}

func TestFormerAnswerCountsTheFirstOfSeveralStates(t *testing.T) {
	before, between, after := dealWith(1, "Beds"), dealWith(2, "Beds"), dealWith(3, "Beds")
	added := deal.State{ID: 59, StatusID: 1}
	changes := repository.Changes{Deals: []repository.Change[deal.State]{
		{Before: before, After: between}, {Before: between, After: after}, {After: &added}, {Before: &added},
	}}
	want := map[catalog.StatusID]int{1: 1}
	if diff := cmp.Diff(want, derive.Former(repository.Question{Kind: repository.DealsOfUser}, changes).ByStatus); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestPresentDealsAreThoseAfterTheirLastChange(t *testing.T) {
	moved, removed := deal.State{ID: 1, UserID: 8, StatusID: 2}, deal.State{ID: 2, UserID: 8, StatusID: 1}
	changes := additions(deal.State{ID: 1, UserID: 8, StatusID: 1}, removed, deal.State{ID: 3, UserID: 9, StatusID: 1})
	changes = append(changes, repository.Change[deal.State]{Before: &removed}, repository.Change[deal.State]{Before: changes[0].After, After: &moved})
	changes = append(changes, additions(deal.State{ID: 4, UserID: 8, StatusID: 2})...)
	if diff := cmp.Diff(map[catalog.StatusID]int{2: 2}, derive.PresentDeals(8, repository.Changes{Deals: changes})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAnswersAreAdded(t *testing.T) {
	one := repository.Answer{
		Count: 2, Sum: amount(t, "10"), Oldest: march, ByStatus: map[catalog.StatusID]int{1: 1}, ByState: map[invoice.Status]int{invoice.Paid: 1}, Offers: 3, Contracts: 5, IsTaken: true,
	}
	other := repository.Answer{
		Count: 1, Sum: amount(t, "2.5"), Oldest: april, ByStatus: map[catalog.StatusID]int{1: 4, 2: 1}, ByState: map[invoice.Status]int{invoice.Paid: 2}, Offers: 1, Contracts: 2,
	}
	want := repository.Answer{
		Count: 3, Sum: amount(t, "12.5"), Oldest: march, ByStatus: map[catalog.StatusID]int{1: 5, 2: 1}, ByState: map[invoice.Status]int{invoice.Paid: 3}, Offers: 4, Contracts: 7, IsTaken: true,
	}
	if diff := cmp.Diff(want, derive.WithFormer(one, other)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, tt := range []struct{ one, other, want time.Time }{
		{march, april, march},
		{april, march, march},
		{march, time.Time{}, march},
		{time.Time{}, march, march},
	} {
		if got := derive.WithFormer(repository.Answer{Oldest: tt.one}, repository.Answer{Oldest: tt.other}).Oldest; !got.Equal(tt.want) {
			t.Errorf("the oldest of %s and %s is %s", tt.one, tt.other, got)
		}
	}
}

func TestChangedRecordsAreListedOnce(t *testing.T) {
	before, after := dealWith(1, "Beds"), dealWith(2, "Beds")
	added := deal.State{ID: 59}
	got := derive.ChangedBy(repository.Changes{
		Deals:     []repository.Change[deal.State]{{Before: before, After: after}, {After: &added}, {Before: after}},
		Offers:    removals(document.State[document.OfferID]{ID: 6}),
		Contracts: additions(document.State[document.ContractID]{ID: 7}),
		Invoices:  removals(invoice.State{ID: 8}),
	})
	want := derive.Changed{Deals: []deal.ID{58, 59}, Offers: []document.OfferID{6}, Contracts: []document.ContractID{7}, Invoices: []invoice.ID{8}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestSubjectsAreThoseOfTheStatesBeforeAndAfter(t *testing.T) {
	changes := repository.Changes{
		Deals:     []repository.Change[deal.State]{{Before: &deal.State{ID: 1, UserID: 8}, After: &deal.State{ID: 1, ClientID: 7, UserID: 9}}},
		Offers:    additions(document.State[document.OfferID]{ID: 1, DealID: 3}),
		Contracts: removals(document.State[document.ContractID]{ID: 1, DealID: 4}),
		Invoices:  additions(invoice.State{ID: 2, ClientID: 7, DealID: 3, PerformerID: 5, Number: "R-1", Date: march}),
	}
	want := []repository.Question{
		{Kind: repository.DealsOfUser, ID: 8}, {Kind: repository.DealsOfClient, ID: 7}, {Kind: repository.DealsOfUser, ID: 9},
		{Kind: repository.DocumentsOfDeal, ID: 3}, {Kind: repository.DocumentsOfDeal, ID: 4},
		{Kind: repository.UnpaidInvoicesOfClient, ID: 7}, {Kind: repository.InvoicesOfDeal, ID: 3}, {Kind: repository.LinesOfInvoice, ID: 2},
		{Kind: repository.NumberTaken, ID: 5, Number: "R-1", Year: 2024},
	}
	if diff := cmp.Diff(want, derive.Subjects(changes, repository.AllFacts)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff(want[1:2], derive.Subjects(changes, repository.FactsOf(repository.DealsOfClient))); diff != "" {
		t.Errorf("of one kind: -want +got\n%s", diff)
	}
	numbered := repository.Question{Kind: repository.NumberTaken, ID: 5, Number: "R-1", Year: 2024, Except: 2}
	if got := derive.SubjectOf(numbered); got != want[8] {
		t.Errorf("the subject of %+v is %+v", numbered, got)
	}
}

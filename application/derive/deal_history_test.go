package derive_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

var meta = repository.Meta{UserID: 4, At: time.Date(2024, 3, 9, 16, 5, 0, 0, time.UTC)}

func dealWith(status catalog.StatusID, name string) *deal.State {
	return &deal.State{ID: 58, Name: name, StatusID: status}
}

func entry(status catalog.StatusID, of invoice.ID) repository.DealHistoryEntry {
	return repository.DealHistoryEntry{DealID: 58, StatusID: status, InvoiceID: of, UserID: meta.UserID, CreatedOn: meta.At}
}

// contract 7.13
func TestDealHistoryHasAnEntryForEachStatusThatADealEnters(t *testing.T) {
	for name, tt := range map[string]struct {
		change repository.Change[deal.State]
		want   []repository.DealHistoryEntry
	}{
		"new":     {repository.Change[deal.State]{After: dealWith(1, "Beds")}, []repository.DealHistoryEntry{entry(1, 0)}},
		"moved":   {repository.Change[deal.State]{Before: dealWith(1, "Beds"), After: dealWith(2, "Beds")}, []repository.DealHistoryEntry{entry(2, 0)}},
		"renamed": {repository.Change[deal.State]{Before: dealWith(1, "Beds"), After: dealWith(1, "Tables")}, nil},
		"removed": {repository.Change[deal.State]{Before: dealWith(1, "Beds")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := derive.DealHistory(meta, repository.Changes{Deals: []repository.Change[deal.State]{tt.change}})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// contract 7.13
func TestDealHistoryHasAnEntryForEachNewInvoiceBehindThoseOfItsDeal(t *testing.T) {
	issued, changed, removed := invoice.State{ID: 77, DealID: 58}, invoice.State{ID: 78, DealID: 58}, invoice.State{ID: 79, DealID: 58}
	got := derive.DealHistory(meta, repository.Changes{
		Invoices: []repository.Change[invoice.State]{{After: &issued}, {Before: &changed, After: &changed}, {Before: &removed}},
		Deals:    []repository.Change[deal.State]{{After: dealWith(1, "Beds")}},
	})
	want := []repository.DealHistoryEntry{entry(1, 0), entry(0, issued.ID)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

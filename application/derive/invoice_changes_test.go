package derive_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

type (
	invoiceChange  = repository.Change[invoice.State]
	invoiceEntries = repository.Change[derive.InvoiceEntry]
)

// Which lines an invoice has matters to lists, and not only how many; what they say does
// not. Lines that stay and are counted as before are left out, so that they need not be
// loaded.
func TestListChangesOfInvoicesHaveTheLinesThatComeOrGo(t *testing.T) {
	state := func(ids ...invoice.LineID) *invoice.State {
		s := &invoice.State{ID: 3, Number: "R", Date: time.Date(2024, 2, 1, 23, 0, 0, 0, time.UTC), Status: invoice.NotPaid, CreatedOn: created}
		for _, id := range ids {
			s.Lines = append(s.Lines, invoice.Line{ID: id})
		}
		return s
	}
	with := func(s *invoice.State, change func(s *invoice.State)) *invoice.State {
		change(s)
		return s
	}
	paid := func(s *invoice.State) { s.Status, s.PaidOn = invoice.Paid, created }
	later := func(s *invoice.State) { s.Date = s.Date.AddDate(0, 0, 28) }
	renamed := func(s *invoice.State) { s.Lines[0].Name = "b" }
	renumbered := func(s *invoice.State) { s.Number = "S" }
	entry := func(lines string) *derive.InvoiceEntry {
		return &derive.InvoiceEntry{ListEntry: common(3, "r"), Status: invoice.NotPaid, Month: 2024*12 + 1, LineIDs: lines}
	}
	all := func(lines string) *derive.InvoiceEntry {
		e := entry(lines)
		e.AllLines = true
		return e
	}
	allPaid := func(lines string) *derive.InvoiceEntry {
		e := all(lines)
		e.Status, e.PaidOn = invoice.Paid, created
		return e
	}
	otherKey := entry("")
	otherKey.TextKey = "s"
	for name, tt := range map[string]struct {
		changes []invoiceChange
		want    []invoiceEntries
	}{
		"issued without lines":          {[]invoiceChange{{After: state()}}, []invoiceEntries{{After: entry("")}}},
		"issued":                        {[]invoiceChange{{After: state(8, 12)}}, []invoiceEntries{{After: entry("8,12")}}},
		"removed":                       {[]invoiceChange{{Before: state(8, 12)}}, []invoiceEntries{{Before: entry("8,12")}}},
		"a line added":                  {[]invoiceChange{pair(state(8), state(8, 12))}, []invoiceEntries{pair(entry(""), entry("12"))}},
		"a line added, none loaded":     {[]invoiceChange{pair(state(), state(12))}, []invoiceEntries{pair(entry(""), entry("12"))}},
		"two lines added one by one":    {[]invoiceChange{pair(state(), state(12)), pair(state(), state(13))}, []invoiceEntries{pair(entry(""), entry("12,13"))}},
		"a line removed":                {[]invoiceChange{pair(state(8), state())}, []invoiceEntries{pair(entry("8"), entry(""))}},
		"a line replaced":               {[]invoiceChange{pair(state(8, 9), state(9, 10))}, []invoiceEntries{pair(entry("8"), entry("10"))}},
		"a line renamed":                {[]invoiceChange{pair(state(8), with(state(8), renamed))}, nil},
		"a line added and removed":      {[]invoiceChange{pair(state(), state(12)), pair(state(12), state())}, nil},
		"a line added, all removed":     {[]invoiceChange{pair(state(), state(12)), {Before: state(8, 12)}}, []invoiceEntries{{Before: entry("8")}}},
		"a line removed, the rest too":  {[]invoiceChange{pair(state(8), state()), {Before: state(9)}}, []invoiceEntries{{Before: entry("8,9")}}},
		"issued, a line added":          {[]invoiceChange{{After: state(8)}, pair(state(), state(12))}, []invoiceEntries{{After: entry("8,12")}}},
		"issued and removed":            {[]invoiceChange{{After: state(8)}, {Before: state(8)}}, nil},
		"another number":                {[]invoiceChange{pair(state(8), with(state(8), renumbered))}, []invoiceEntries{pair(entry(""), otherKey)}},
		"another day of the month":      {[]invoiceChange{pair(state(8), with(state(8), later))}, nil},
		"paid":                          {[]invoiceChange{pair(state(), with(state(), paid))}, []invoiceEntries{pair(all(""), allPaid(""))}},
		"paid, with a line in exchange": {[]invoiceChange{pair(state(8, 9), with(state(9, 10), paid))}, []invoiceEntries{pair(all("8"), allPaid("10"))}},
		"a line added, then paid":       {[]invoiceChange{pair(state(), state(12)), pair(state(), with(state(), paid))}, []invoiceEntries{pair(all(""), allPaid("12"))}},
	} {
		t.Run(name, func(t *testing.T) {
			got := derive.ListChangesOf(repository.Changes{Invoices: tt.changes}, strings.ToLower).Invoices
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

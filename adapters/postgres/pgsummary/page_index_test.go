package pgsummary_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/workload"
)

// addClients adds clients created a second after one another, past the stores, with
// their changes.
func (c company) addClients(n int, first time.Time) {
	c.T.Helper()
	c.Execute(fmt.Sprintf(`
with added as (
    insert into clients (user_id, type, name, name_key, created_at, updated_at)
    select %d, 1, 'Client', 'client', at, at
    from generate_series(0, %d) n, lateral (select timestamptz '%s' + n * interval '1 second' as at) t
    returning id, created_at, name_key, user_id, type
), searchable as (
    insert into client_search (id, text_key)
    select id, name_key
    from added
)
insert into client_changes (batch_id, writer_version, delta, id, created_at, text_key, user_id, type)
select b.id, %d, 1, a.id, a.created_at, a.name_key, a.user_id, a.type
from added a
cross join (select max(id) as id from change_batches) b`, c.Office.Manager, n-1, first.Format(time.RFC3339), postgres.Version))
}

// clientSegments is the number of segments of the list of clients.
func (c company) clientSegments() int64 {
	c.T.Helper()
	return c.Number("select count(*) from page_index where list = 'clients'")
}

// lineSegments is the first ids and the sizes of the segments of the list of lines.
func (c company) lineSegments() string {
	c.T.Helper()
	return c.Text("select string_agg(id || ': ' || record_count, ', ' order by id) from page_index where list = 'invoice_lines' and created_at = '-infinity'")
}

func TestSegmentsThatHaveGrownAreSplit(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	expect := func(when string, segments int64) {
		t.Helper()
		c.Agrees(when)
		if got := c.clientSegments(); got != segments {
			t.Errorf("%s the clients are in %d segments, want %d", when, got, segments)
		}
	}
	c.addClients(8000, fixture.At)
	c.Fold()
	expect("with 8002 clients", 1)
	// Some that are not folded yet lie before the place of the cut, and some behind it.
	c.addClients(200, fixture.At)
	c.Fold()
	expect("with 8202 clients", 2)
	c.addClients(9000, fixture.At.Add(100*time.Second))
	c.Fold()
	c.Agrees("after several cuts at once")
	if n := c.Number("select max(record_count) from page_index where list = 'clients'"); n > 8192 {
		t.Errorf("a segment has %d clients", n)
	}
	c.Rebuild()
	expect("rebuilt with 17202 clients", 5)
}

func TestSegmentsOfInvoiceLinesAreSplitByTheirIDs(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	expect := func(when, want string) {
		t.Helper()
		c.Agrees(when)
		if got := c.lineSegments(); got != want {
			t.Errorf("%s the segments are %s, want %s", when, got, want)
		}
	}
	inv := c.issue(8000)
	c.Fold()
	expect("with 8000 lines", "0: 8000")
	c.issue(5000)
	c.Fold()
	expect("after two cuts", "0: 4096, 4097: 4096, 8193: 4808")
	// Every second line of the first invoice is removed, and as many new ones are added.
	fixture.Do(t, c.Tx, c.Office.Manager, workload.Changing(inv, workload.Invoices, func(i *invoice.Invoice) error {
		var lines []invoice.LineAttributes
		for n, l := range i.State().Lines {
			if n%2 == 0 {
				lines = append(lines, invoice.LineAttributes{ID: optional.Some(l.ID)})
			} else {
				lines = append(lines, fixture.Line("Fracht"))
			}
		}
		return i.Update(invoice.Attributes{Lines: optional.Some(lines)}, performer.Terms{}, fixture.At)
	}))
	c.Agrees("before the lines are folded")
	c.Fold()
	expect("with as many new lines as removed ones", "0: 2048, 4097: 2144, 8193: 4096, 12289: 4712")
	fixture.Do(t, c.Tx, c.Office.Manager, workload.Removing(inv, workload.Invoices))
	c.Fold()
	c.Agrees("without the first invoice")
	c.Rebuild()
	expect("rebuilt", "0: 4096, 12097: 904")
}

// A fold that is stopped behind the opening of the next batch, as when the process is
// killed there, goes on when more was written; the changes behind are still held.
func TestSplitCountsChangesThatAreNotFolded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		grow     func(c company) (change func())
		expected func(c company) bool
	}{
		"clients": {
			func(c company) func() {
				c.addClients(8200, fixture.At)
				return func() { c.addClients(1, fixture.At.Add(-time.Hour)) }
			},
			func(c company) bool { return c.clientSegments() == 2 },
		},
		"invoice lines": {
			func(c company) func() {
				early := c.issue(100)
				c.issue(8200)
				return func() { fixture.Do(c.T, c.Tx, c.Office.Manager, workload.Removing(early, workload.Invoices)) }
			},
			func(c company) bool { return c.lineSegments() == "0: 4196, 4197: 4104" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCompany(t)
			change := tt.grow(c)
			c.Execute("insert into change_batches default values")
			change()
			end := c.holdBatch()
			c.Fold()
			if n := c.openChanges(); n != 1 || !tt.expected(c) {
				t.Errorf("%d changes are not folded, want 1; %d segments of clients, lines: %s", n, c.clientSegments(), c.lineSegments())
			}
			c.Agrees("after a split beside a change that is not folded")
			end()
			c.Fold()
			c.Agrees("when it is folded")
		})
	}
}

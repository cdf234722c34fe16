package pgread_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// exported opens the list of clients by their ids.
func exported(t *testing.T, db pgread.Querier) readmodel.Export {
	t.Helper()
	s, err := query.Select(readmodel.Clients, query.Parameters{Fields: domain.Some("id,description")})
	if err != nil {
		t.Fatal(err)
	}
	export, err := pgread.NewClients(db).Export(t.Context(), readmodel.Query[readmodel.ClientFilter]{
		Select: s, Sort: []readmodel.Order{{Attribute: "id"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return export
}

// contract 2.57, 2.58
func TestExportIsOneSnapshotInSmallBatches(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	add := func() {
		if _, err := c.Pool.Exec(t.Context(), `
insert into clients (user_id, type, name, name_key, description, created_at, updated_at)
select 1, 1, 'n', 'n', $1, now(), now()
from generate_series(1, 2500)`, strings.Repeat("x", 2000)); err != nil {
			t.Fatal(err)
		}
	}
	add()
	limits := gate.Limits{Running: 1, PerCaller: 1, Wait: time.Second}
	gate, searches := gate.New("exports", limits, nil), gate.New("slow queries", limits, nil)
	before := c.Number("select count(*) from clients")
	export := exported(t, pgread.Gated(c.Pool, searches, gate))
	if gate.State().Running != 1 || searches.State().Running != 0 {
		t.Error("an export does not pass its gate, or passes that of searches")
	}
	n, batches := int64(0), 0
	for {
		rows, err := export.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if rows == nil {
			break
		}
		if batches++; batches == 1 {
			add()
		}
		if n += int64(rows.Len()); rows.Len() > 300 {
			t.Errorf("a batch has %d rows of 2 kB", rows.Len())
		}
	}
	if n != before || batches < 5 {
		t.Errorf("%d of %d clients in %d batches", n, before, batches)
	}
	export.Close(t.Context())
	if gate.State().Running != 0 {
		t.Error("a closed export stays in the gate")
	}
}

// contract 2.58
func TestExportClosedEarlyLeavesNoTransaction(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(3).Steps(60)
	export := exported(t, c.Pool)
	if _, err := export.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	export.Close(gone)
	if n := c.Number("select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'"); n != 0 {
		t.Errorf("%d transactions are open", n)
	}
	pgtest.SkipOnCitus(t, "the coordinator reads all rows of a cursor at once")
}

// contract 4.111
func TestExportHasTheRecordsOfSeveralValues(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(65).Steps(40)
	s, err := query.Select(readmodel.Invoices, query.Parameters{Fields: domain.Some("id")})
	if err != nil {
		t.Fatal(err)
	}
	export, err := pgread.NewInvoices(c.Pool).Export(t.Context(), readmodel.Query[readmodel.InvoiceFilter]{
		Select: s, Sort: []readmodel.Order{{Attribute: "id"}},
		Filter: readmodel.InvoiceFilter{UserIDs: []user.ID{c.Office.Manager, c.Office.Other}, IDs: []invoice.ID{1, 2, 3, 4, 5}, DateFrom: "1900-01-01"},
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := export.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := c.Number(fmt.Sprintf("select count(*) from invoices where id <= 5 and user_id in (%d, %d)", c.Office.Manager, c.Office.Other))
	if rows == nil || want == 0 || int64(rows.Len()) != want {
		t.Errorf("got %+v, want %d invoices", rows, want)
	}
	export.Close(t.Context())
}

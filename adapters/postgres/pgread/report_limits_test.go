package pgread_test

import (
	"slices"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// contract 18.40
func TestReportsWaitAtTheGateOfSlowQueries(t *testing.T) {
	t.Parallel()
	gate := gate.New("slow queries", gate.Limits{Running: 1, PerCaller: 1, Wait: time.Second}, nil)
	leave, err := gate.Enter(t.Context())
	if leave != nil {
		defer leave()
	}
	for _, of := range []func(pgread.Querier) readmodel.Report{pgread.NewReceivables, pgread.NewRevenue, pgread.NewVAT, pgread.NewOverdue} {
		if _, got := of(pgread.Gated(nil, gate, nil)).Read(t.Context(), readmodel.ReportQuery{}); !fault.Is(got, fault.Throttled) || err != nil {
			t.Errorf("got %v, %v", got, err)
		}
	}
}

// contract 18.49
func TestReportWithTooManyRowsIsRefused(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(1).Steps(500)
	selection, err := query.Select(readmodel.Receivables, query.Parameters{Record: true})
	if err != nil {
		t.Fatal(err)
	}
	q := readmodel.ReportQuery{By: "invoice", Select: selection}
	report := pgread.NewReceivables(c.Pool)
	all, err := report.Read(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	items := slices.IndexFunc(selection.Nodes, func(n readmodel.Node) bool { return n.Name == "items" })
	rows := all.List(0, selection.Nodes[items].Column).Len()
	if rows < 2 {
		t.Fatalf("the report has %d rows", rows)
	}
	if _, err := pgread.LimitRows(report, rows).Read(t.Context(), q); err != nil {
		t.Errorf("%d rows: %v", rows, err)
	}
	_, err = pgread.LimitRows(report, rows-1).Read(t.Context(), q)
	if !fault.Is(err, fault.Malformed) || fault.As(err).Fields[0].Name != "by" {
		t.Errorf("one row more than allowed: %v", err)
	}
}

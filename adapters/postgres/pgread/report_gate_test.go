package pgread_test

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// contract 18.40
func TestReportsWaitAtTheGateOfSlowQueries(t *testing.T) {
	t.Parallel()
	gate := postgres.NewGate("slow queries", postgres.GateLimits{Running: 1, PerCaller: 1, Waiting: 1, WaitingPerCaller: 1, Wait: time.Second})
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

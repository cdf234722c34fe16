package storetest_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/test/fixture"
)

// noDealForDebtors and noInvoiceBesideDeals are two rules that two writers could break together,
// each by a change that the other one's rule does not see.
type noDealForDebtors struct{}

func (noDealForDebtors) Name() string { return "no-deal-for-debtors" }

func (noDealForDebtors) Check(ctx context.Context, c rule.Change[deal.State]) error {
	if c.Operation() != ruledef.Create || c.Cause == rule.OpenedForInvoice {
		return nil
	}
	unpaid, err := c.Facts.UnpaidInvoices(ctx, c.After.ClientID)
	if err != nil || unpaid.Count == 0 {
		return err
	}
	return fault.ForField(fault.Invalid, "client_id", "has unpaid invoices")
}

type noInvoiceBesideDeals struct{ limit int }

func (noInvoiceBesideDeals) Name() string { return "no-invoice-beside-deals" }

func (r noInvoiceBesideDeals) Check(ctx context.Context, c rule.Change[invoice.State]) error {
	deals, err := c.Facts.ClientDeals(ctx, c.After.ClientID)
	if err != nil {
		return err
	}
	n := 0
	for _, of := range deals {
		n += of
	}
	if n <= r.limit {
		return nil
	}
	return fault.ForField(fault.Invalid, "client_id", "has too many deals")
}

type atFixture struct{}

func (atFixture) Now() time.Time         { return fixture.At }
func (atFixture) Elapsed() time.Duration { return 0 }

var _ ports.Clock = atFixture{}

// writers are the use cases on PostgreSQL under the rules.
func writers(t *testing.T, options ...rule.Option) (o fixture.Office, by command.Request, deals *command.Deals, invoices *command.Invoices) {
	t.Helper()
	pool := openPool(t, 10*time.Second)
	tx := pgstore.NewTx(pool, []pgstore.Projection{pgstore.DealHistory{}, pgstore.ReadModels{}})
	o = fixture.Open(t, store{Tx: tx, t: t})
	rules := fixture.Must(rule.NewRegistry(nil, nil, options...))
	deals = command.NewDeals(tx, atFixture{}, rules)
	by = command.Request{Actor: access.Actor{UserID: o.Manager, Role: user.Manager}}
	return o, by, deals, command.NewInvoices(tx, atFixture{}, rules, deals)
}

// together runs all of the writers at once, and counts those that succeed. The others must be
// refused by a rule.
func together(t *testing.T, all ...func(ctx context.Context) error) (succeeded int) {
	t.Helper()
	results := make([]error, len(all))
	var wg sync.WaitGroup
	for i, write := range all {
		wg.Go(func() { results[i] = write(t.Context()) })
	}
	wg.Wait()
	for _, err := range results {
		switch f := fault.As(err); {
		case err == nil:
			succeeded++
		case f == nil || f.Kind != fault.Invalid || f.Fields[0].Rule == "":
			t.Errorf("a writer ended with %v", err)
		}
	}
	return succeeded
}

func TestRulesOfTwoAggregatesHoldForConcurrentWriters(t *testing.T) {
	t.Parallel()
	o, by, deals, invoices := writers(t, rule.Deals.Rules(noDealForDebtors{}), rule.Invoices.Rules(noInvoiceBesideDeals{limit: 1}))
	unpaid := fixture.Invoice(o)
	unpaid.Status = domain.Some(invoice.NotPaid)
	n := together(t,
		func(ctx context.Context) error {
			_, err := deals.Create(ctx, by, fixture.Deal(o.Client, o.DealType))
			return err
		},
		func(ctx context.Context) error {
			_, err := invoices.Create(ctx, by, unpaid)
			return err
		})
	if n != 1 {
		t.Errorf("%d writers have succeeded", n)
	}
}

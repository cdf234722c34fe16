package pgstore_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/workload"
)

// recorded compares, for each list, the sum of all changes with the records, in every
// column that is declared, and the search keys with those of the records.
var recorded = func() map[string][2]string {
	pairs := map[string][2]string{}
	for _, l := range listdef.All {
		var changes, records, places []string
		for i, c := range l.Columns {
			changes, records, places = append(changes, "t."+c.Name), append(records, l.RecordValue(c.Name)), append(places, fmt.Sprint(i+1))
		}
		group := " group by " + strings.Join(places, ", ")
		pairs[l.Changes] = [2]string{
			"select " + strings.Join(changes, ", ") + ", sum(t.delta) from " + l.Changes + " t" + group + " having sum(t.delta) <> 0",
			"select " + strings.Join(records, ", ") + ", count(*) from " + l.Table + " r " + l.Join + group,
		}
		pairs[l.Search] = [2]string{
			"select id, created_at, text_key from " + l.Search, "select id, " + l.CreatedAt + ", " + listdef.SearchKey(l.TextKey) + " from " + l.Table,
		}
	}
	return pairs
}()

// expectRecorded compares all of it in one snapshot.
func expectRecorded(c workload.Company, when string) {
	c.T.Helper()
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(c.T.Context(), c.Pool, snapshot, func(tx pgx.Tx) error {
		for table, pair := range recorded {
			rows, err := tx.Query(c.T.Context(), `
select 'stored, not expected: ' || d::text from ((`+pair[0]+`) except all (`+pair[1]+`)) d
union all
select 'expected, not stored: ' || d::text from ((`+pair[1]+`) except all (`+pair[0]+`)) d
limit 5`)
			if err != nil {
				return err
			}
			differences, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			for _, d := range differences {
				c.T.Errorf("%s: %s: %s", when, table, d)
			}
		}
		return nil
	})
	if err != nil {
		c.T.Errorf("%s: %v", when, err)
	}
}

// expectNoDeadlock closes the pool: the database then has counted all deadlocks.
func expectNoDeadlock(c workload.Company) {
	c.T.Helper()
	c.Pool.Close()
	c.Pool = pgtest.DB(c.T, c.URL, workload.Zone)
	for range 500 {
		if c.Number("select count(*) from pg_stat_activity where datname = current_database()") == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := c.Number("select deadlocks from pg_stat_database where datname = current_database()"); n != 0 {
		c.T.Errorf("%d deadlocks, want none", n)
	}
}

// do runs the unit of work, which has to succeed.
func do(c workload.Company, works ...workload.Work) {
	c.T.Helper()
	for _, work := range works {
		fixture.Do(c.T, c.Tx, c.Office.Manager, work)
	}
}

func newOffer(of deal.ID) *agreement.Offer {
	return fixture.Must(agreement.New[agreement.OfferID](fixture.Agreement(of), fixture.At))
}

func addClient(c workload.Company) workload.Work {
	return workload.Adding(new([]client.ID), workload.Clients, fixture.Client(c.Office.Manager, fixture.Person()))
}

func TestReadModelsRecordEveryChangeOfUnitsWithManyChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := workload.NewCompany(t)
			w := c.Writer(seed)
			w.Changes = 5 // so that one record changes several times
			for step := range 60 {
				if step%10 == 0 {
					c.Execute("insert into change_batches default values")
				}
				w.Steps(2)
				if expectRecorded(c, fmt.Sprintf("step %d", step)); t.Failed() {
					return
				}
			}
		})
	}
}

// One change in a unit of work, so that nothing can wait in a circle.
func TestReadModelsRecordEveryChangeOfManyWritersWithoutDeadlock(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	var writers sync.WaitGroup
	for seed := range uint64(12) {
		w := c.Writer(seed)
		w.Changes = 1
		writers.Go(func() { w.Steps(80) })
	}
	for range 30 {
		time.Sleep(50 * time.Millisecond)
		expectRecorded(c, "while others write")
	}
	writers.Wait()
	expectRecorded(c, "at the end")
	for _, l := range listdef.All {
		if n := c.Number("select count(*) from " + l.Changes); n < 50 {
			t.Errorf("only %d changes of %s were recorded", n, l.Table)
		}
	}
	expectNoDeadlock(c)
}

// The client of a document follows from its deal, and both can change in one unit of
// work, in any order.
func TestReadModelsRecordDocumentsForTheClientOfTheirDeal(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	o := c.Office
	var ids []agreement.OfferID
	add := func(ctx context.Context, s repository.Stores) error {
		if err := workload.Adding(&ids, workload.Offers, newOffer(o.Deal))(ctx, s); err != nil {
			return err
		}
		_, err := s.Contracts.Add(ctx, fixture.Must(agreement.New[agreement.ContractID](fixture.Agreement(o.Deal), fixture.At)))
		return err
	}
	moveTo := func(to client.ID) workload.Work {
		return workload.Changing(o.Deal, workload.Deals, func(d *deal.Deal) error {
			return d.Update(deal.Attributes{ClientID: domain.Some(to)}, deal.Facts{}, fixture.At)
		})
	}
	last := func() agreement.OfferID { return ids[len(ids)-1] }
	sendTo := func(to deal.ID) workload.Work {
		return func(ctx context.Context, s repository.Stores) error {
			return workload.Changing(last(), workload.Offers, func(d *agreement.Offer) error {
				return d.Update(agreement.Attributes{DealID: domain.Some(to)})
			})(ctx, s)
		}
	}
	toNewDeal := func(ctx context.Context, s repository.Stores) error {
		id, err := s.Deals.Add(ctx, fixture.Must(deal.New(o.Manager, o.Default, fixture.Deal(o.Client, o.DealType), fixture.At)))
		if err != nil {
			return err
		}
		return sendTo(id)(ctx, s)
	}
	removeBoth := func(ctx context.Context, s repository.Stores) error {
		offer, err := s.Offers.Lock(ctx, last())
		if err != nil {
			return err
		}
		of := offer.State().DealID
		if err := s.Offers.Remove(ctx, offer); err != nil {
			return err
		}
		return workload.Removing(of, workload.Deals)(ctx, s)
	}
	for _, step := range []struct {
		name  string
		works []workload.Work
	}{
		{"documents are added", []workload.Work{add}},
		{"the deal moves", []workload.Work{moveTo(o.OtherClient)}},
		{"the deal loses its client", []workload.Work{moveTo(0)}},
		{"the deal moves and gets documents", []workload.Work{moveTo(o.Client), add}},
		{"the deal gets documents and moves", []workload.Work{add, moveTo(o.OtherClient)}},
		{"an offer goes to another deal", []workload.Work{sendTo(o.Inquiry)}},
		{"it comes back and the deal moves", []workload.Work{sendTo(o.Deal), moveTo(o.Client)}},
		{"an offer goes and the deal it leaves moves", []workload.Work{sendTo(o.OtherDeal), moveTo(o.OtherClient)}},
		{"an offer goes to a new deal", []workload.Work{toNewDeal}},
		{"an offer and its deal are removed", []workload.Work{removeBoth}},
	} {
		do(c, func(ctx context.Context, s repository.Stores) error {
			for _, work := range step.works {
				if err := work(ctx, s); err != nil {
					return err
				}
			}
			return nil
		})
		expectRecorded(c, step.name)
	}
}

func TestReadModelsRecordAPaymentInItsMonthInTheZoneOfTheDatabase(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t) // on Kiritimati, 14 hours ahead
	bill := fixture.Invoice(c.Office)
	bill.Status = domain.Some(invoice.NotPaid)
	var ids []invoice.ID
	do(c, workload.Adding(&ids, workload.Invoices, fixture.Must(invoice.New(c.Office.Manager, bill, performer.Terms{}, fixture.At))))
	newYear := time.Date(2024, 12, 31, 10, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		status invoice.Status
		at     time.Time
		want   string
	}{
		{invoice.Paid, newYear.Add(-time.Microsecond), "2024-12"},
		{invoice.NotPaid, newYear, "not paid"},
		{invoice.Paid, newYear, "2025-1"},
	} {
		do(c, workload.Changing(ids[0], workload.Invoices, func(inv *invoice.Invoice) error {
			return inv.Update(invoice.Attributes{Status: domain.Some(step.status)}, inv.State().Terms, step.at)
		}))
		got := c.Text(`
select coalesce(paid_month / 12 || '-' || paid_month % 12 + 1, 'not paid')
from invoice_changes
where delta = 1
order by seq desc
limit 1`)
		if got != step.want {
			t.Errorf("%s on %s is recorded as %s, want %s", step.status, step.at, got, step.want)
		}
		expectRecorded(c, step.want)
	}
}

// A change must not be recorded in a batch that was folded while the writer waited for
// it: it would be in no sum.
func TestWriterWhoseBatchIsFoldedMeanwhileRunsAgain(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	do(c, addClient(c))
	before := c.Number("select count(*) from client_changes")
	fold, err := c.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = fold.Rollback(context.WithoutCancel(t.Context())) }()
	step := func(sql string) {
		t.Helper()
		if _, err := fold.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	step("select id from change_batches for update")
	runs := 0
	written := make(chan error)
	go func() {
		written <- c.Tx.Do(t.Context(), repository.Meta{At: fixture.At}, func(ctx context.Context, s repository.Stores) error {
			runs++
			return addClient(c)(ctx, s)
		})
	}()
	awaitLock(c)
	step("insert into change_batches default values")
	step("delete from change_batches where id = (select min(id) from change_batches)")
	if err := fold.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-written; err != nil || runs != 2 {
		t.Errorf("the unit of work ran %d times and returned %v, want 2 times", runs, err)
	}
	for sql, want := range map[string]int64{
		"select count(*) from clients":        4,
		"select count(*) from client_changes": before + 1,
		"select count(*) from client_changes where batch_id = (select id from change_batches)": 1,
	} {
		if got := c.Number(sql); got != want {
			t.Errorf("%s: %d, want %d", sql, got, want)
		}
	}
	expectRecorded(c, "at the end")
}

// awaitLock returns once a connection waits for a lock of another one.
func awaitLock(c workload.Company) {
	c.T.Helper()
	for range 500 {
		if pgtest.LockWaits(c.T, c.Pool) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.T.Fatal("no connection waits for a lock")
}

// contract 3.22
func TestChangeThatCannotBeRecordedIsRejected(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	c.Execute("delete from change_batches")
	err := c.Tx.Do(t.Context(), repository.Meta{At: fixture.At}, addClient(c))
	if !fault.Is(err, fault.Unavailable) || c.Number("select count(*) from clients") != 2 {
		t.Errorf("a client is added with %v, want %s", err, fault.Unavailable)
	}
	do(c, func(ctx context.Context, s repository.Stores) error { // which is in no list
		_, err := s.DealTypes.Add(ctx, fixture.Must(catalog.NewLabel[catalog.DealTypeID](fixture.Label("Rental"))))
		return err
	})
}

// The removal of a deal looks for its documents, and a change of a document looks up the
// client of its deal.
func TestDealAndItsDocumentAreRemovedAtOnceWithoutDeadlock(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	var ids []agreement.OfferID
	do(c, workload.Adding(&ids, workload.Offers, newOffer(c.Office.Deal)))
	removeDeal := workload.Removing(c.Office.Deal, workload.Deals)
	do(c, workload.Changing(ids[0], workload.Offers, func(p *agreement.Offer) error {
		// At once, as the deal has a document.
		if err := c.Tx.Do(t.Context(), repository.Meta{At: fixture.At}, removeDeal); !fault.Is(err, fault.Conflict) {
			t.Errorf("the deal is removed with %v, want %s", err, fault.Conflict)
		}
		return p.Update(agreement.Attributes{Number: domain.Some("2")})
	}))
	runs, removed := 0, make(chan error)
	do(c, func(ctx context.Context, s repository.Stores) error {
		if runs++; runs > 1 {
			return nil
		}
		if err := workload.Removing(ids[0], workload.Offers)(ctx, s); err != nil {
			return err
		}
		if _, err := s.Offers.Lock(ctx, ids[0]); !fault.Is(err, fault.NotFound) { // which sends what is queued
			return err
		}
		go func() {
			removed <- c.Tx.Do(t.Context(), repository.Meta{At: fixture.At}, func(ctx context.Context, s repository.Stores) error {
				runs++
				return removeDeal(ctx, s)
			})
		}()
		awaitLock(c)
		return nil
	})
	if err := <-removed; err != nil || runs != 2 {
		t.Errorf("the units of work ran %d times and the removal returned %v, want each to run once", runs, err)
	}
	expectRecorded(c, "at the end")
}

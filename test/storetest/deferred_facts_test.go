package storetest_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// debts is an office with unpaid invoices, numbered "1" and "2", and what is asked about it.
type debts struct {
	fixture.Office
	first, second invoice.ID
	offer         document.OfferID
	questions     []repository.Question
}

func openDebts(s store) (d debts) {
	d.Office = fixture.Open(s.t, s)
	s.doAs(d.Manager, func(ctx context.Context, st repository.Stores) (err error) {
		if d.first, err = st.Invoices.Add(ctx, d.unpaid("1", 2021)); err != nil {
			return err
		}
		if d.second, err = st.Invoices.Add(ctx, d.unpaid("2", 2022)); err != nil {
			return err
		}
		d.offer, err = st.Offers.Add(ctx, fixture.Must(document.New[document.OfferID](fixture.Document(d.Deal), fixture.At)))
		return err
	})
	number := func(n string) repository.Question {
		return repository.Question{Kind: repository.NumberTaken, ID: int64(d.Performer), Number: n, Year: 2022}
	}
	d.questions = []repository.Question{
		{Kind: repository.UnpaidInvoicesOfClient, ID: int64(d.Client)}, {Kind: repository.DealsOfClient, ID: int64(d.Client)},
		{Kind: repository.DealsOfUser, ID: int64(d.Manager)}, {Kind: repository.InvoicesOfDeal, ID: int64(d.Deal)},
		{Kind: repository.DocumentsOfDeal, ID: int64(d.Deal)}, number("2"), number("3"),
	}
	return d
}

func (d debts) unpaid(number string, year int) *invoice.Invoice {
	a := fixture.Invoice(d.Office)
	a.Number, a.Date = optional.Some(number), optional.Some(time.Date(year, time.May, 1, 0, 0, 0, 0, time.UTC))
	a.Status = optional.Some(invoice.NotPaid)
	return fixture.Must(invoice.New(d.Manager, a, performer.Terms{}, fixture.At))
}

// change changes, removes and adds records of each kind, one of them twice.
func (d debts) change(ctx context.Context, st repository.Stores) error {
	if err := d.changeDeals(ctx, st); err != nil {
		return err
	}
	first, err := st.Invoices.Lock(ctx, d.first)
	if err != nil {
		return err
	}
	for _, to := range []invoice.Status{invoice.Paid, invoice.NotPaid, invoice.Paid} {
		if err := first.Update(invoice.Attributes{Status: optional.Some(to)}, performer.Terms{}, fixture.At); err != nil {
			return err
		}
		if _, err := st.Invoices.Save(ctx, first); err != nil {
			return err
		}
	}
	second, err := st.Invoices.Lock(ctx, d.second)
	if err != nil {
		return err
	}
	if err := st.Invoices.Remove(ctx, second); err != nil {
		return err
	}
	if _, err := st.Invoices.Add(ctx, d.unpaid("3", 2022)); err != nil {
		return err
	}
	offer, err := st.Offers.Lock(ctx, d.offer)
	if err != nil {
		return err
	}
	if err := st.Offers.Remove(ctx, offer); err != nil {
		return err
	}
	_, err = st.Contracts.Add(ctx, fixture.Must(document.New[document.ContractID](fixture.Document(d.Deal), fixture.At)))
	return err
}

func (d debts) changeDeals(ctx context.Context, st repository.Stores) error {
	moved, err := st.Deals.Lock(ctx, d.OtherDeal)
	if err != nil {
		return err
	}
	if err := moved.Update(deal.Attributes{UserID: optional.Some(d.Other), StatusID: optional.Some(d.Status)}, deal.Facts{}, fixture.At); err != nil {
		return err
	}
	if err := st.Deals.Save(ctx, moved); err != nil {
		return err
	}
	_, err = st.Deals.Add(ctx, fixture.Must(deal.New(d.Manager, d.Status, fixture.Deal(d.Client, d.DealType), fixture.At)))
	return err
}

func TestDeferredAnswersLeaveOutWhatTheUnitOfWorkChangesLater(t *testing.T) {
	onBoth(t, func(s store) {
		d := openDebts(s)
		var before, deferred, twice []repository.Answer
		s.doAs(d.Manager, func(ctx context.Context, st repository.Stores) (err error) {
			if before, err = st.Facts.Answer(ctx, d.questions); err != nil {
				return err
			}
			err = st.Facts.Defer(ctx, repository.Deferred{Questions: d.questions, Judge: func(_ context.Context, a []repository.Answer) ([]repository.Question, error) {
				if deferred == nil {
					deferred = a
					return d.questions, nil
				}
				twice = a
				return nil, nil
			}})
			if err != nil {
				return err
			}
			return d.change(ctx, st)
		})
		want := []repository.Answer{
			{Count: 2, Sum: before[0].Sum, Oldest: time.Date(2021, time.May, 1, 0, 0, 0, 0, time.UTC)},
			{ByStatus: map[catalog.StatusID]int{d.Default: 1}}, {ByStatus: map[catalog.StatusID]int{d.Default: 3}},
			{ByState: map[invoice.Status]int{invoice.NotPaid: 2}}, {Offers: 1}, {IsTaken: true}, {},
		}
		for name, got := range map[string][]repository.Answer{"before": before, "deferred": deferred, "further questions": twice} {
			if diff := cmp.Diff(want, got, cmp.Comparer(money.Amount.Equal)); diff != "" {
				s.t.Errorf("%s: -want +got\n%s", name, diff)
			}
		}
	})
}

// TestDeferredAnswersAreThoseOfTheCommit has another writer change an answer after the judgement
// was deferred, and a third one that has to wait for the commit.
func TestDeferredAnswersAreThoseOfTheCommit(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	s := store{Tx: pgstore.NewTx(pool, []pgstore.Projection{pgstore.ReadModels{}}), t: t}
	d := openDebts(s)
	issue := func(ctx context.Context, number string) error {
		return s.Do(ctx, repository.Meta{UserID: d.Manager, At: fixture.At}, func(ctx context.Context, st repository.Stores) error {
			st.Facts.Protect(repository.FactsOf(repository.UnpaidInvoicesOfClient))
			_, err := st.Invoices.Add(ctx, d.unpaid(number, 2020))
			return err
		})
	}
	written := make(chan error, 1)
	s.doAs(d.Manager, func(ctx context.Context, st repository.Stores) error {
		err := st.Facts.Defer(ctx, repository.Deferred{Questions: d.questions[:1], Judge: func(ctx context.Context, a []repository.Answer) ([]repository.Question, error) {
			if a[0].Count != 3 {
				t.Errorf("the client has %d unpaid invoices at the end, want 3", a[0].Count)
			}
			go func() { written <- issue(context.WithoutCancel(ctx), "5") }()
			for waiting := false; !waiting; {
				select {
				case err := <-written:
					t.Errorf("the other writer has committed: %v", err)
					written <- err
					return nil, nil
				default:
				}
				waiting = pgtest.LockWaits(t, pool) > 0
			}
			return nil, nil
		}})
		if err != nil {
			return err
		}
		return issue(ctx, "4")
	})
	if err := <-written; err != nil {
		t.Fatal(err)
	}
}

func TestDeferredJudgementFailsTheUnitOfWork(t *testing.T) {
	onBoth(t, func(s store) {
		d := openDebts(s)
		s.rejects(d.Manager, fault.Conflict, func(ctx context.Context, st repository.Stores) error {
			refuse := func(context.Context, []repository.Answer) ([]repository.Question, error) {
				return nil, fault.New(fault.Conflict, "not so")
			}
			if err := st.Facts.Defer(ctx, repository.Deferred{Questions: d.questions[:1], Judge: refuse}); err != nil {
				return err
			}
			_, err := st.Invoices.Add(ctx, d.unpaid("9", 2022))
			return err
		})
		s.do(func(ctx context.Context, st repository.Stores) error {
			answers, err := st.Facts.Answer(ctx, d.questions[:1])
			if err == nil {
				s.expect(2, answers[0].Count)
			}
			return err
		})
	})
}

// contract 12.99
func TestDeferredDealsOfUserAreThoseOfTheReadModels(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	s := store{Tx: pgstore.NewTx(pool, []pgstore.Projection{pgstore.ReadModels{}}), t: t}
	d := openDebts(s)
	exec := func(sql string) {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what    string
		prepare func()
		want    map[catalog.StatusID]int
	}{
		{"no change is folded", func() {}, map[catalog.StatusID]int{d.Default: 3}},
		{"all changes are folded", func() {
			if _, err := pgsummary.Fold(t.Context(), pool); err != nil {
				t.Fatal(err)
			}
		}, map[catalog.StatusID]int{d.Default: 3}},
		{"the totals are read", func() { exec("update deal_totals set record_count = record_count + 4 where user_id > 0") }, map[catalog.StatusID]int{d.Default: 7}},
		{"the read models are not ready", func() { exec("update read_model_state set lists_ready = false") }, map[catalog.StatusID]int{d.Default: 3}},
	} {
		c.prepare()
		err := s.Do(t.Context(), repository.Meta{UserID: d.Manager, At: fixture.At, DryRun: true}, func(ctx context.Context, st repository.Stores) error {
			question := repository.Question{Kind: repository.DealsOfUser, ID: int64(d.Manager)}
			err := st.Facts.Defer(ctx, repository.Deferred{Questions: []repository.Question{question}, Judge: func(_ context.Context, a []repository.Answer) ([]repository.Question, error) {
				if diff := cmp.Diff(c.want, a[0].ByStatus); diff != "" {
					t.Errorf("%s: -want +got\n%s", c.what, diff)
				}
				return nil, nil
			}})
			if err != nil {
				return err
			}
			return d.changeDeals(ctx, st)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

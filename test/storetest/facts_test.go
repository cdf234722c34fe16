package storetest_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// debts is an office with unpaid invoices, numbered "1" and "2", and what is asked about it.
type debts struct {
	fixture.Office
	first, second invoice.ID
	offer         document.OfferID
	questions     []repository.Question
}

func openDebts(s store) (d debts) {
	d.Office = s.office
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

// contract 12.99
func TestDealsOfUserAreThoseOfTheReadModels(t *testing.T) {
	t.Parallel()
	url, opened := office.URL(t)
	s := storeOn(t, url)
	s.office = opened
	pool, d := s.pool, openDebts(s)
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
		{"no change is folded", func() {}, map[catalog.StatusID]int{d.Default: 2, d.Status: 1}},
		{"all changes are folded", func() {
			if _, err := pgsummary.Fold(t.Context(), pool); err != nil {
				t.Fatal(err)
			}
		}, map[catalog.StatusID]int{d.Default: 2, d.Status: 1}},
		{"the totals are read", func() { exec("update deal_totals set record_count = record_count + 4 where user_id > 0") }, map[catalog.StatusID]int{d.Default: 6, d.Status: 1}},
	} {
		c.prepare()
		err := s.Do(t.Context(), repository.Meta{UserID: d.Manager, At: fixture.At, DryRun: true}, func(ctx context.Context, st repository.Stores) error {
			if err := d.changeDeals(ctx, st); err != nil {
				return err
			}
			answers, err := st.Facts.AnswerLocked(ctx, []repository.Question{{Kind: repository.DealsOfUser, ID: int64(d.Manager)}})
			if err != nil {
				return err
			}
			if diff := cmp.Diff(c.want, answers[0].ByStatus); diff != "" {
				t.Errorf("%s: -want +got\n%s", c.what, diff)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

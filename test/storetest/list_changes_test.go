package storetest_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// forLists is the projections that lists are read from.
var forLists = []pgstore.Projection{pgstore.ListChanges{}, pgstore.SearchTexts{}}

// agreements are pairs of questions with the same answer: what was noted of all
// records comes to what they are.
var agreements = map[string][2]string{
	"clients": {
		"select id, created_at, text_key, user_id, type, sum(delta) from client_changes group by id, created_at, text_key, user_id, type having sum(delta) <> 0",
		"select id, created_at, name_key, user_id, type, 1::bigint from clients",
	},
	"deals": {
		`select id, created_at, text_key, client_id, user_id, type_id, status_id, sum(delta)
from deal_changes
group by id, created_at, text_key, client_id, user_id, type_id, status_id
having sum(delta) <> 0`,
		"select id, created_at, name_key, client_id, user_id, type_id, status_id, 1::bigint from deals",
	},
	"offers": {
		"select id, created_at, text_key, client_id, sum(delta) from offer_changes group by id, created_at, text_key, client_id having sum(delta) <> 0",
		"select p.id, p.created_on, p.number_key, d.client_id, 1::bigint from offers p join deals d on d.id = p.deal_id",
	},
	"contracts": {
		"select id, created_at, text_key, client_id, sum(delta) from contract_changes group by id, created_at, text_key, client_id having sum(delta) <> 0",
		"select p.id, p.created_on, p.number_key, d.client_id, 1::bigint from contracts p join deals d on d.id = p.deal_id",
	},
	"invoices": {
		`select id, created_at, text_key, client_id, user_id, type_id, status, month, paid_month, line_ids, cardinality(line_ids), sum(delta)
from invoice_changes
group by id, created_at, text_key, client_id, user_id, type_id, status, month, paid_month, line_ids
having sum(delta) <> 0`,
		`select
    i.id, i.created_on, i.number_key, i.client_id, i.user_id, i.type_id, i.status, i.month, i.paid_month,
    array(select l.id from invoice_lines l where l.invoice_id = i.id order by l.id), i.total_count, 1::bigint
from invoices i`,
	},
	"months of payments": {
		"select id, paid_month from invoices",
		"select id, (extract(year from paid_on) * 12 + extract(month from paid_on) - 1)::integer from invoices",
	},
	"texts of clients":   {"select id, text_key from client_search", "select id, name_key from clients"},
	"texts of deals":     {"select id, text_key from deal_search", "select id, name_key from deals"},
	"texts of offers":    {"select id, text_key from offer_search", "select id, number_key from offers"},
	"texts of contracts": {"select id, text_key from contract_search", "select id, number_key from contracts"},
	"texts of invoices":  {"select id, text_key from invoice_search", "select id, number_key from invoices"},
}

// expectAgreement asks all questions in one snapshot.
func expectAgreement(t *testing.T, pool *pgxpool.Pool, when string) {
	t.Helper()
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(t.Context(), pool, snapshot, func(tx pgx.Tx) error {
		for what, pair := range agreements {
			rows, err := tx.Query(t.Context(), `
select 'noted, and not so: ' || d::text from ((`+pair[0]+`) except all (`+pair[1]+`)) d
union all
select 'so, and not noted: ' || d::text from ((`+pair[1]+`) except all (`+pair[0]+`)) d
limit 5`)
			if err != nil {
				return err
			}
			differences, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			for _, d := range differences {
				t.Errorf("%s: %s: %s", when, what, d)
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// What is noted of one record, a step after the other, in the words of its row:
// the sign, and what of it is looked at here.
func TestAChangeIsNotedAsWhatWasAndWhatIs(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	s := store{Tx: pgstore.NewTx(pool, forLists), t: t}
	o := fixture.Open(t, s)
	noted := func(what, sql string, want ...string) {
		t.Helper()
		if got := column[string](t, pool, sql+" order by seq"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		if _, err := pool.Exec(t.Context(), "truncate client_changes, deal_changes, offer_changes, contract_changes, invoice_changes"); err != nil {
			t.Fatal(err)
		}
	}
	const names = "select delta || ' ' || text_key from client_changes"
	noted("new clients", names, "1 żółw & söhne", "1 łucja żak")
	change := func(a client.Attributes) {
		t.Helper()
		s.do(func(ctx context.Context, st repository.Stores) error {
			return alter(ctx, st.Clients, o.Client, func(c *client.Client) error { return c.Update(a, later) })
		})
	}
	change(client.Attributes{Description: optional.Some("no list shows it by this")})
	noted("what no list counts by", names)
	change(client.Attributes{Name: optional.Some("Zoll")})
	noted("another name", names, "-1 żółw & söhne", "1 zoll")
	s.do(func(ctx context.Context, st repository.Stores) error {
		for _, name := range []string{"Zwischenzeitlich", "Zum Schluss"} {
			if err := alter(ctx, st.Clients, o.Client, func(c *client.Client) error {
				return c.Update(client.Attributes{Name: optional.Some(name)}, later)
			}); err != nil {
				return err
			}
		}
		passing, err := st.Clients.Add(ctx, fixture.Client(o.Manager, fixture.Person()))
		if err != nil {
			return err
		}
		c, err := st.Clients.Lock(ctx, passing)
		if err != nil {
			return err
		}
		return st.Clients.Remove(ctx, c)
	})
	noted("two steps, and a client that came and went", names, "-1 zoll", "1 zum schluss")
}

// Whose a paper is follows from its deal, and both can change in one unit of
// work, in any order.
func TestPapersGoWithTheirDealToAnotherClient(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	s := store{Tx: pgstore.NewTx(pool, forLists), t: t}
	o := fixture.Open(t, s)
	moveTo := func(ctx context.Context, st repository.Stores, to client.ID) error {
		return alter(ctx, st.Deals, o.Deal, func(d *deal.Deal) error {
			return d.Update(deal.Attributes{ClientID: optional.Some(to)}, deal.Facts{}, later)
		})
	}
	var offer document.OfferID
	add := func(ctx context.Context, st repository.Stores) (err error) {
		offer, err = st.Offers.Add(ctx, fixture.Must(document.New[document.OfferID](fixture.Document(o.Deal), fixture.At)))
		if err == nil {
			_, err = st.Contracts.Add(ctx, fixture.Must(document.New[document.ContractID](fixture.Document(o.Deal), fixture.At)))
		}
		return err
	}
	send := func(ctx context.Context, st repository.Stores, to deal.ID) error {
		return alter(ctx, st.Offers, offer, func(d *document.Offer) error {
			return d.Update(document.Attributes{DealID: optional.Some(to)})
		})
	}
	for _, step := range []struct {
		name string
		do   func(ctx context.Context, st repository.Stores) error
	}{
		{"two papers", add},
		{"the deal moves", func(ctx context.Context, st repository.Stores) error { return moveTo(ctx, st, o.OtherClient) }},
		{"it loses its client", func(ctx context.Context, st repository.Stores) error { return moveTo(ctx, st, 0) }},
		{"it moves, and gets papers", func(ctx context.Context, st repository.Stores) error {
			if err := moveTo(ctx, st, o.Client); err != nil {
				return err
			}
			return add(ctx, st)
		}},
		{"it gets papers, and moves", func(ctx context.Context, st repository.Stores) error {
			if err := add(ctx, st); err != nil {
				return err
			}
			return moveTo(ctx, st, o.OtherClient)
		}},
		{"a paper goes to another deal", func(ctx context.Context, st repository.Stores) error { return send(ctx, st, o.Inquiry) }},
		{"it comes back, and the deal moves", func(ctx context.Context, st repository.Stores) error {
			if err := send(ctx, st, o.Deal); err != nil {
				return err
			}
			return moveTo(ctx, st, o.Client)
		}},
		{"a paper goes, and the deal it leaves moves", func(ctx context.Context, st repository.Stores) error {
			if err := send(ctx, st, o.OtherDeal); err != nil {
				return err
			}
			return moveTo(ctx, st, o.OtherClient)
		}},
		{"a paper is removed where its deal is too", func(ctx context.Context, st repository.Stores) error {
			d := fixture.Must(deal.New(o.Manager, o.Default, fixture.Deal(o.Client, o.DealType), fixture.At))
			id, err := st.Deals.Add(ctx, d)
			if err != nil {
				return err
			}
			return send(ctx, st, id)
		}},
		{"the last of it", func(ctx context.Context, st repository.Stores) error {
			paper, err := st.Offers.Lock(ctx, offer)
			if err != nil {
				return err
			}
			of, err := st.Deals.Lock(ctx, paper.State().DealID)
			if err != nil {
				return err
			}
			if err := st.Offers.Remove(ctx, paper); err != nil {
				return err
			}
			return st.Deals.Remove(ctx, of)
		}},
	} {
		s.do(step.do)
		expectAgreement(t, pool, step.name)
	}
}

// The lines are part of what an invoice is: which they are, and not only how
// many.
func TestTheLinesOfAnInvoiceAreNotedWithIt(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	s := store{Tx: pgstore.NewTx(pool, forLists), t: t}
	o := fixture.Open(t, s)
	inv := s.issued(o, newInvoice(o, fixture.Invoice(o)))
	noted := func(what string, want ...string) {
		t.Helper()
		got := column[string](t, pool, "select delta || ' ' || line_ids::text from invoice_changes order by seq")
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		expectAgreement(t, pool, what)
	}
	edit := func(change func(inv *invoice.Invoice) error) { t.Helper(); s.edit(o, inv.ID, change) }
	want := []string{"1 {1,2}"}
	noted("two lines", want...)
	edit(func(inv *invoice.Invoice) error {
		return inv.AddLine(fixture.Line("Fracht"), inv.State().Terms, later)
	})
	want = append(want, "-1 {1,2}", "1 {1,2,3}")
	noted("one more", want...)
	edit(func(inv *invoice.Invoice) error {
		return inv.ChangeLine(2, invoice.LineAttributes{Name: optional.Some("Koje")}, inv.State().Terms, later)
	})
	noted("a line that is still the same", want...)
	edit(func(inv *invoice.Invoice) error { return inv.RemoveLine(1, inv.State().Terms, later) })
	want = append(want, "-1 {1,2,3}", "1 {2,3}")
	noted("one less", want...)
	edit(func(inv *invoice.Invoice) error {
		lines := []invoice.LineAttributes{fixture.Line("Zoll"), {ID: optional.Some(invoice.LineID(3))}}
		return inv.Update(invoice.Attributes{Lines: optional.Some(lines)}, inv.State().Terms, later)
	})
	want = append(want, "-1 {2,3}", "1 {3,4}")
	noted("as many, and another", want...)
	edit(func(inv *invoice.Invoice) error {
		return inv.Update(invoice.Attributes{Lines: optional.Some[[]invoice.LineAttributes](nil)}, inv.State().Terms, later)
	})
	want = append(want, "-1 {3,4}", "1 {}")
	noted("none", want...)
}

func TestAPaymentIsNotedInItsMonthOfTheConnectionsZone(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second) // in Newfoundland, at this instant 3:30 behind
	s := store{Tx: pgstore.NewTx(pool, forLists), t: t}
	o := fixture.Open(t, s)
	newYear := time.Date(2025, 1, 1, 3, 29, 59, 999999000, time.UTC)
	bill := fixture.Invoice(o)
	bill.Status = optional.Some(invoice.NotPaid)
	inv := s.issued(o, newInvoice(o, bill))
	for _, step := range []struct {
		status invoice.Status
		at     time.Time
		want   string
	}{
		{invoice.Paid, newYear, "2024-12"},
		{invoice.NotPaid, newYear, "not paid"},
		{invoice.Paid, newYear.Add(time.Microsecond), "2025-1"},
	} {
		s.edit(o, inv.ID, func(inv *invoice.Invoice) error {
			return inv.Update(invoice.Attributes{Status: optional.Some(step.status)}, inv.State().Terms, step.at)
		})
		got := column[string](t, pool, `
select coalesce(paid_month / 12 || '-' || paid_month % 12 + 1, 'not paid')
from invoice_changes
where delta = 1
order by seq desc
limit 1`)
		if got[0] != step.want {
			t.Errorf("%s on %s is noted as %s, want %s", step.status, step.at, got[0], step.want)
		}
		expectAgreement(t, pool, step.want)
	}
}

// A batch that is folded while a writer waits for it is no place to note in any
// more: what is written there would be in no total.
func TestAWriterWhoseBatchIsFoldedMeanwhileRunsAgain(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	s := store{Tx: pgstore.NewTx(pool, forLists), t: t}
	o := fixture.Open(t, s)
	before := column[int64](t, pool, "select count(*) from client_changes")[0]
	folder, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = folder.Rollback(context.WithoutCancel(t.Context())) }()
	execute(t, folder, "select id from change_batches for update")
	runs := 0
	written := make(chan error)
	go func() {
		written <- s.Do(t.Context(), repository.Meta{At: later}, func(ctx context.Context, st repository.Stores) error {
			runs++
			return second(st.Clients.Add(ctx, fixture.Client(o.Manager, fixture.Person())))
		})
	}()
	awaitWaiting(t, pool)
	execute(t, folder, "insert into change_batches default values")
	execute(t, folder, "delete from change_batches where id = (select min(id) from change_batches)")
	if err := folder.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if runs != 2 {
		t.Errorf("the unit of work ran %d times, want 2", runs)
	}
	for what, want := range map[string]int64{
		"select count(*) from clients":        3,
		"select count(*) from client_changes": before + 1,
		"select count(*) from client_changes where batch_id = (select id from change_batches)": 1,
	} {
		if got := column[int64](t, pool, what)[0]; got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	expectAgreement(t, pool, "at the end")
}

// contract 3.22
func TestNothingIsStoredThatCannotBeNoted(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	s := store{Tx: pgstore.NewTx(pool, forLists), t: t}
	o := fixture.Open(t, s)
	execute(t, pool, "delete from change_batches")
	s.refuses(0, fault.Unavailable, func(ctx context.Context, st repository.Stores) error {
		return second(st.Clients.Add(ctx, fixture.Client(o.Manager, fixture.Person())))
	})
	if n := column[int64](t, pool, "select count(*) from clients")[0]; n != 2 {
		t.Errorf("%d clients, want 2", n)
	}
	s.do(func(ctx context.Context, st repository.Stores) error {
		return second(st.DealTypes.Add(ctx, fixture.Must(catalog.NewLabel[catalog.DealTypeID](fixture.Label("in no list")))))
	})
}

// Who takes a deal away looks whether it has papers, and who changes a paper
// looks whose deal it is of: neither waits for the other in a circle.
func TestADealAndItsPaperAreTakenAwayAtOnceWithoutADeadlock(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	s := store{Tx: pgstore.NewTx(pool, forLists), t: t}
	o := fixture.Open(t, s)
	var offer document.OfferID
	s.do(func(ctx context.Context, st repository.Stores) (err error) {
		offer, err = st.Offers.Add(ctx, fixture.Must(document.New[document.OfferID](fixture.Document(o.Deal), fixture.At)))
		return err
	})
	removeDeal := func(ctx context.Context, st repository.Stores) error {
		return remove(ctx, st.Deals, o.Deal)
	}
	s.do(func(ctx context.Context, st repository.Stores) error {
		return alter(ctx, st.Offers, offer, func(p *document.Offer) error {
			s.refuses(0, fault.Conflict, removeDeal) // at once, as it has a paper
			return p.Update(document.Attributes{Number: optional.Some("2")})
		})
	})
	runs, removed := 0, make(chan error)
	s.do(func(ctx context.Context, st repository.Stores) error {
		if runs++; runs > 1 {
			return nil
		}
		if err := remove(ctx, st.Offers, offer); err != nil {
			return err
		}
		if _, err := st.Offers.Lock(ctx, offer); !fault.Is(err, fault.NotFound) {
			return err
		}
		go func() {
			removed <- s.Do(t.Context(), repository.Meta{At: later}, func(ctx context.Context, st repository.Stores) error {
				runs++
				return removeDeal(ctx, st)
			})
		}()
		awaitWaiting(t, pool)
		return nil
	})
	if err := <-removed; err != nil {
		t.Error(err)
	}
	if runs != 2 {
		t.Errorf("the two units of work ran %d times, want 2: none lost to the other", runs)
	}
	expectAgreement(t, pool, "at the end")
}

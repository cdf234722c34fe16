package storetest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// One writer makes units of work of up to five steps, so that one record changes
// several times in one of them, and looks after each whether all is noted.
func TestWhateverAWriterDoesIsNoted(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			pool := openPool(t, 5*time.Second)
			b := opened(t, pool)
			r := rand.New(rand.NewPCG(seed, 4))
			for step := range 120 {
				if step%10 == 0 {
					execute(t, pool, "insert into change_batches default values")
				}
				if err := b.work(t.Context(), r, 1+r.IntN(5)); err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				if expectAgreement(t, pool, fmt.Sprintf("step %d", step)); t.Failed() {
					return
				}
			}
			b.expectBusy(t, 60)
		})
	}
}

// Eight writers do one thing at a time each, about the same few records, while
// batches are opened and closed under them. What is noted is right in whatever
// a reader sees, and nobody waits in a circle.
func TestWhateverManyWritersDoIsNoted(t *testing.T) {
	t.Parallel()
	const each = 120
	pool := openPool(t, 5*time.Second)
	b := opened(t, pool)
	var writers, others sync.WaitGroup
	for seed := range uint64(8) {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(seed, 8))
			for range each {
				if err := b.work(t.Context(), r, 1); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	var done atomic.Bool
	others.Go(func() {
		for !done.Load() {
			closeBatches(t, pool)
			time.Sleep(10 * time.Millisecond)
		}
	})
	others.Go(func() {
		for !done.Load() && !t.Failed() {
			expectAgreement(t, pool, "meanwhile")
		}
	})
	writers.Wait()
	done.Store(true)
	others.Wait()
	expectAgreement(t, pool, "at the end")
	b.expectBusy(t, 8*each/2)
	expectNoDeadlock(t, pool)
}

// expectNoDeadlock closes the pool, upon which the database has counted all that
// happened there.
func expectNoDeadlock(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	closePool(t, pool)
	watch := pgtest.Pool(t, pool.Config().ConnString())
	for range 500 {
		if column[int64](t, watch, "select count(*) from pg_stat_activity where datname = current_database()")[0] == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := column[int64](t, watch, "select deadlocks from pg_stat_database where datname = current_database()")[0]; n != 0 {
		t.Errorf("%d deadlocks, want none", n)
	}
}

// closeBatches opens a batch and closes those before it that no writer holds, as
// long as none comes before.
func closeBatches(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	execute(t, pool, "insert into change_batches default values")
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		for {
			closed, err := tx.Exec(t.Context(), `
delete from change_batches
where id = (
    select id
    from change_batches
    where id = (select min(id) from change_batches) and id < (select max(id) from change_batches)
    for update skip locked
)`)
			if err != nil || closed.RowsAffected() == 0 {
				return err
			}
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// kind is a list.
type kind int

const (
	ofClients kind = iota
	ofDeals
	ofOffers
	ofContracts
	ofInvoices
	kinds
)

// bustle is an office where records of all lists come and go.
type bustle struct {
	tx     repository.Tx
	office fixture.Office
	stored atomic.Int64 // units of work

	lock sync.Mutex
	ids  [kinds][]int64
}

func opened(t *testing.T, pool *pgxpool.Pool) *bustle {
	t.Helper()
	b := &bustle{tx: pgstore.NewTx(pool, forLists)}
	b.office = fixture.Open(t, b.tx)
	b.ids[ofClients] = []int64{int64(b.office.Client), int64(b.office.OtherClient)}
	b.ids[ofDeals] = []int64{int64(b.office.Deal), int64(b.office.OtherDeal), int64(b.office.Inquiry)}
	return b
}

// work carries out a unit of work of so many steps. One that is refused has left
// nothing, and is no error.
func (b *bustle) work(ctx context.Context, r *rand.Rand, steps int) error {
	var added [kinds][]int64
	meta := repository.Meta{UserID: b.office.Manager, At: fixture.At.Add(time.Duration(r.Int64N(int64(3000 * time.Hour)))).Truncate(time.Microsecond)}
	err := b.tx.Do(ctx, meta, func(ctx context.Context, st repository.Stores) error {
		d := desk{Stores: st, Rand: r, office: b.office, at: meta.At, ids: b.known()}
		before := [kinds]int{}
		for k := range d.ids {
			before[k] = len(d.ids[k])
		}
		for range steps {
			if err := d.step(ctx); err != nil {
				return err
			}
		}
		for k := range d.ids {
			added[k] = d.ids[k][before[k]:]
		}
		return nil
	})
	for _, kind := range []fault.Kind{fault.Conflict, fault.NotFound, fault.Dangling, fault.Invalid} {
		if fault.Is(err, kind) {
			return nil
		}
	}
	if err != nil {
		return err
	}
	b.stored.Add(1)
	b.lock.Lock()
	defer b.lock.Unlock()
	for k := range added {
		b.ids[k] = append(b.ids[k], added[k]...)
	}
	return nil
}

// known is the ids of the newest records, so that steps meet at a few.
func (b *bustle) known() (ids [kinds][]int64) {
	b.lock.Lock()
	defer b.lock.Unlock()
	for k, all := range b.ids {
		ids[k] = slices.Clone(all[max(0, len(all)-5):])
	}
	return ids
}

// expectBusy fails a test in which hardly anything has happened.
func (b *bustle) expectBusy(t *testing.T, least int) {
	t.Helper()
	if n := int(b.stored.Load()); n < least {
		t.Errorf("only %d units of work have stored anything, want %d", n, least)
	}
	for k, ids := range b.ids {
		if len(ids) < 5 {
			t.Errorf("only %d records of the kind %d were added", len(ids), k)
		}
	}
}

// desk is where one unit of work is done.
type desk struct {
	repository.Stores
	*rand.Rand
	office fixture.Office
	at     time.Time
	ids    [kinds][]int64
}

func (d *desk) step(ctx context.Context) error {
	k := kind(d.IntN(int(kinds)))
	known := d.ids[k]
	if len(known) == 0 || d.IntN(3) == 0 {
		id, err := d.add(ctx, k)
		if err == nil {
			d.ids[k] = append(d.ids[k], id)
		}
		return err
	}
	return d.change(ctx, k, known[d.IntN(len(known))])
}

func (d *desk) add(ctx context.Context, k kind) (id int64, err error) {
	switch k {
	case ofClients:
		a := fixture.Company()
		a.Name, a.Type = optional.Some(d.word()), optional.Some(pick(d, client.Company, client.Person))
		a.CompanyAddress, a.BankDetails = optional.Of[string]{}, optional.Of[string]{}
		return added(d.Clients.Add(ctx, fixture.Must(client.New(d.user(), a, d.at))))
	case ofDeals:
		a := fixture.Deal(d.client(), pick(d, 0, d.office.DealType))
		return added(d.Deals.Add(ctx, fixture.Must(deal.New(d.user(), pick(d, d.office.Default, d.office.Status), a, d.at))))
	case ofOffers:
		return added(d.Offers.Add(ctx, fixture.Must(document.New[document.OfferID](fixture.Document(d.deal()), d.at))))
	case ofContracts:
		return added(d.Contracts.Add(ctx, fixture.Must(document.New[document.ContractID](fixture.Document(d.deal()), d.at))))
	default:
		return d.issue(ctx)
	}
}

func added[ID ~int64](id ID, err error) (int64, error) { return int64(id), err }

// issue adds an invoice to a deal, which gets a client if it has none.
func (d *desk) issue(ctx context.Context) (int64, error) {
	of, err := d.Deals.Lock(ctx, d.deal())
	if err != nil {
		return 0, err
	}
	if of.State().ClientID == 0 {
		if err := of.GainClient(d.office.Client, d.at); err != nil {
			return 0, err
		}
		if err := d.Deals.Save(ctx, of); err != nil {
			return 0, err
		}
	}
	a := fixture.Invoice(d.office)
	a.ClientID, a.DealID = optional.Some(of.State().ClientID), optional.Some(of.State().ID)
	a.Status = optional.Some(pick(d, invoice.NotPaid, invoice.Paid))
	inv := fixture.Must(invoice.New(d.user(), a, termsOf(d.office, a), d.at))
	if err := inv.AttachToDeal(of.State()); err != nil {
		return 0, err
	}
	return added(d.Invoices.Add(ctx, inv))
}

func (d *desk) change(ctx context.Context, k kind, id int64) error {
	switch k {
	case ofClients:
		return alterOrRemove(ctx, d, d.Clients, client.ID(id), func(c *client.Client) error {
			return c.Update(client.Attributes{
				Name: some(d, d.word()), UserID: some(d, d.user()), Description: some(d, d.word()),
			}, d.at)
		})
	case ofDeals:
		return alterOrRemove(ctx, d, d.Deals, deal.ID(id), func(of *deal.Deal) error {
			has, err := d.Deals.HasInvoices(ctx, deal.ID(id))
			if err != nil {
				return err
			}
			return of.Update(deal.Attributes{
				Name: some(d, d.word()), ClientID: some(d, d.client()), UserID: some(d, d.user()),
				TypeID: some(d, pick(d, 0, d.office.DealType)), StatusID: some(d, pick(d, d.office.Default, d.office.Status)),
			}, deal.Facts{HasInvoices: has}, d.at)
		})
	case ofOffers:
		return alterOrRemove(ctx, d, d.Offers, document.OfferID(id), func(p *document.Offer) error { return p.Update(d.paper()) })
	case ofContracts:
		return alterOrRemove(ctx, d, d.Contracts, document.ContractID(id), func(p *document.Contract) error { return p.Update(d.paper()) })
	default:
		return alterOrRemove(ctx, d, savedInvoices{d.Invoices}, invoice.ID(id), d.rewrite)
	}
}

func (d *desk) paper() document.Attributes {
	return document.Attributes{DealID: some(d, d.deal()), Number: some(d, d.word()), Notice: some(d, d.word())}
}

func (d *desk) rewrite(inv *invoice.Invoice) error {
	terms := inv.State().Terms
	if d.IntN(3) == 0 {
		return inv.AddLine(fixture.Line(d.word()), terms, d.at)
	}
	if lines := inv.State().Lines; len(lines) > 0 && d.IntN(3) == 0 {
		return inv.RemoveLine(lines[0].ID, terms, d.at)
	}
	return inv.Update(invoice.Attributes{
		Lines: some(d, d.lines(inv.State().Lines)), Number: some(d, d.word()), Date: some(d, d.at.Truncate(time.Second)), Status: some(d, pick(d, invoice.NotPaid, invoice.Paid)),
		TypeID: some(d, pick(d, d.office.InvoiceType, d.office.OtherInvoiceType)), Notice: some(d, d.word()),
	}, terms, d.at)
}

// lines are some of those that there are, and up to two new ones.
func (d *desk) lines(present []invoice.Line) (lines []invoice.LineAttributes) {
	for _, l := range present {
		if d.IntN(2) == 0 {
			lines = append(lines, invoice.LineAttributes{ID: optional.Some(l.ID)})
		}
	}
	for range d.IntN(3) {
		lines = append(lines, fixture.Line(d.word()))
	}
	return lines
}

func (d *desk) word() string         { return pick(d, "Süd", "SÜD", "Nord", "Ost", "West") }
func (d *desk) user() user.ID        { return pick(d, d.office.Manager, d.office.Other, d.office.Admin) }
func (d *desk) deal() deal.ID        { return deal.ID(pick(d, d.ids[ofDeals]...)) }
func (d *desk) client() client.ID    { return client.ID(pick(d, append(d.ids[ofClients], 0)...)) }
func pick[V any](d *desk, of ...V) V { return of[d.IntN(len(of))] }

// some is the value, or nothing: most attributes are left as they are.
func some[V any](d *desk, value V) optional.Of[V] {
	if d.IntN(3) > 0 {
		return optional.Of[V]{}
	}
	return optional.Some(value)
}

// shelf is what can be done with records of one kind.
type shelf[ID, A any] interface {
	keeper[ID, A]
	remover[A]
}

func alter[ID, A any](ctx context.Context, in shelf[ID, A], id ID, change func(A) error) error {
	a, err := in.Lock(ctx, id)
	if err == nil {
		err = change(a)
	}
	if err != nil {
		return err
	}
	return in.Save(ctx, a)
}

func remove[ID, A any](ctx context.Context, in shelf[ID, A], id ID) error {
	a, err := in.Lock(ctx, id)
	if err != nil {
		return err
	}
	return in.Remove(ctx, a)
}

func alterOrRemove[ID, A any](ctx context.Context, d *desk, in shelf[ID, A], id ID, change func(A) error) error {
	if d.IntN(6) == 0 {
		return remove(ctx, in, id)
	}
	return alter(ctx, in, id, change)
}

// execute runs a statement that must succeed.
func execute(t *testing.T, db interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}, sql string,
) {
	t.Helper()
	if _, err := db.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
}

// awaitWaiting returns once a connection waits for another's lock.
func awaitWaiting(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	for range 500 {
		if column[bool](t, pool, `
select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`)[0] {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nobody waits for a lock")
}

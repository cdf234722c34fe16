package pgstore

import (
	"context"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// Projection stores rows that are derived from changes. It is called at the end of each unit of
// work, and before a record is read in it, with the changes since the previous call. The
// statements that it queues are part of the same transaction. The rows are computed by a function
// of package derive.
type Projection interface {
	Project(meta repository.Meta, changes repository.Changes, w *Writer)
}

// Tx implements repository.Tx.
type Tx struct {
	db          *postgres.DB
	projections []Projection
	records     *pgread.Records
	rules       ruleSets
	company     tenant.Code
	gate        *gate.Gate
}

var _ repository.Tx = (*Tx)(nil)

// NewTx returns the unit of work on the default company; every projection sees every change.
func NewTx(db *postgres.DB, projections []Projection) *Tx {
	return &Tx{db: db, projections: projections, records: pgread.NewRecords(db.Zone())}
}

// NewTxOf is like NewTx, for another company; db is that company's part of the database. Its transactions wait
// at the gate before they take a connection, dry runs too: those wait for the same locks.
func NewTxOf(code tenant.Code, db *postgres.DB, gate *gate.Gate, projections []Projection) *Tx {
	t := NewTx(db, projections)
	t.company, t.gate = code, gate
	return t
}

// Do implements repository.Tx.
func (t *Tx) Do(ctx context.Context, meta repository.Meta, fn func(ctx context.Context, s repository.Stores) error) error {
	return t.begin(ctx, func(ctx context.Context, p begun) error {
		err := p.Do(ctx, meta, fn)
		if err == nil && meta.DryRun {
			return postgres.ErrRollback
		}
		return err
	})
}

// Together calls fn with units of work that are parts of one transaction, without dry runs. After the error of
// one, the others fail too.
func (t *Tx) Together(ctx context.Context, fn func(ctx context.Context, tx repository.Tx) error) error {
	return t.begin(ctx, func(ctx context.Context, p begun) error { return fn(ctx, p) })
}

// begin calls fn in a transaction.
func (t *Tx) begin(ctx context.Context, fn func(ctx context.Context, p begun) error) error {
	leave, err := t.gate.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	var version int64 // of the rules
	readVersion := func(b *pgx.Batch) {
		b.Queue("select version from rule_set").QueryRow(func(row pgx.Row) error { return row.Scan(&version) })
	}
	return postgres.InTransactionAfter(ctx, t.db, readVersion, func(ctx context.Context, tx pgx.Tx) error {
		set, err := t.rules.load(ctx, tx, version)
		if err != nil {
			return err
		}
		return fn(ctx, begun{t, tx, set})
	})
}

// begun makes units of work in a transaction that has begun.
type begun struct {
	*Tx
	tx  pgx.Tx
	set repository.RuleSet
}

func (p begun) Do(ctx context.Context, meta repository.Meta, fn func(ctx context.Context, s repository.Stores) error) error {
	u := &unit{
		Writer: newWriter(meta), tx: p.tx, company: p.company, meta: meta, projections: p.projections, records: p.records, ruleSet: p.set,
	}
	if err := fn(ctx, u.stores()); err != nil {
		return err
	}
	u.derive()
	return u.send(ctx)
}

// Writer queues the statements of one unit of work.
type Writer struct {
	batch *pgx.Batch
	// lastID is the id of the last record added by a dry run; 0: the unit of work is no dry run.
	lastID int64
}

func newWriter(meta repository.Meta) Writer {
	w := Writer{batch: &pgx.Batch{}}
	if meta.DryRun {
		const spare = 1_000_000_000 // more than there are records in a unit of work
		const first, last = readmodel.FirstPlaceholder, readmodel.EndPlaceholder - spare
		w.lastID = first + rand.Int64N(last-first) //nolint:gosec // not a secret, only rarely the same
	}
	return w
}

// Store queues a statement that inserts or updates rows.
func (w *Writer) Store(sql string, args ...any) { w.exec(postgres.Storing, sql, args) }

// Remove queues a statement that deletes rows, or clears columns of rows, which
// other rows may refer to.
func (w *Writer) Remove(sql string, args ...any) { w.exec(postgres.Removing, sql, args) }

// Lock queues a statement that locks rows or keys until the end of the unit of work.
func (w *Writer) Lock(sql string, args ...any) { w.exec(postgres.Storing, sql, args) }

func (w *Writer) exec(side postgres.Side, sql string, args []any) {
	w.batch.Queue(sql, args...).Fn = func(results pgx.BatchResults) error {
		_, err := results.Exec()
		return postgres.Fault(err, side)
	}
}

// newID is the argument for the id of a new row: null, for which the statement takes the next
// number of the sequence, unless this is a dry run.
func (w *Writer) newID() any {
	if w.lastID == 0 {
		return nil
	}
	w.lastID++
	return w.lastID
}

// newIDs are the ids of several rows: nil unless this is a dry run.
func (w *Writer) newIDs(n int) (ids []int64) {
	for range n {
		if w.lastID != 0 {
			w.lastID++
			ids = append(ids, w.lastID)
		}
	}
	return ids
}

type unit struct {
	Writer
	tx          pgx.Tx
	company     tenant.Code
	meta        repository.Meta
	projections []Projection
	records     *pgread.Records
	changes     repository.Changes // since the projections were last called
	ruleSet     repository.RuleSet
	reaction    string // that makes the changes; empty: none
	protected   repository.FactKinds
	proposed    []repository.Question        // the subjects of facts that the changes alter that are about to be judged
	loaded      func() repository.Changes    // the locked records that facts are about, and deals and invoices as if they were deleted
	held        map[repository.Question]bool // the locked subjects of facts; whether others may share the lock
}

func (u *unit) stores() repository.Stores {
	deals := deals.in(u, &u.changes.Deals)
	invoices := &invoiceStore{tracker: tracked(u, &u.changes.Invoices, invoiceKey, invoice.Same)}
	users := users.in(u, &u.changes.Users)
	statuses := statuses.in(u, &u.changes.Statuses)
	performers := performers.in(u, &u.changes.Performers)
	clients := clients.in(u, &u.changes.Clients)
	u.loaded = func() repository.Changes {
		return repository.Changes{
			Users: unchanged(users.before), Statuses: unchanged(statuses.before),
			Performers: unchanged(performers.before), Clients: unchanged(clients.before),
			Deals: removals(deals.before), Invoices: removals(invoices.before),
		}
	}
	return repository.Stores{
		Users:        userStore{users},
		Tokens:       tokenStore{u},
		Statuses:     statusStore{statuses},
		DealTypes:    dealTypes.in(u, &u.changes.DealTypes),
		InvoiceTypes: invoiceTypes.in(u, &u.changes.InvoiceTypes),
		Performers:   performers,
		Clients:      clients,
		Parties:      partyStore{u},
		Pictures:     pictures{u},
		Contacts:     contactStore{contacts.in(u, &u.changes.Contacts)},
		Payments:     paymentStore{payments.in(u, &u.changes.Payments)},
		Deals:        dealStore{deals},
		Offers:       offers.in(u, &u.changes.Offers),
		Contracts:    contracts.in(u, &u.changes.Contracts),
		Invoices:     invoices,
		Issuing:      issuing{u},

		ChangeLog:       changeLog{u},
		IdempotencyKeys: &idempotencyKeys{u: u},
		Rules:           ruleStore{rules.in(u, new([]repository.Change[ruledef.State]))},
		Facts:           facts{u},
		References:      references{u, deals},
		View:            view{u},
	}
}

// derive queues what is derived from the changes, and the locks on the facts that they alter.
func (u *unit) derive() {
	for _, p := range u.projections {
		p.Project(u.meta, u.changes, &u.Writer)
	}
	u.lockChanged()
	u.changes = repository.Changes{}
}

type view struct{ u *unit }

// Read implements readmodel.View. In the same round trip, it first sends the queued statements
// and those of the projections.
func (v view) Read(ctx context.Context, resource *readmodel.Resource, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	v.u.derive()
	return v.u.records.Read(ctx, func(ctx context.Context, sql string, args []any, read func(pgx.Rows) error) error {
		v.u.query(read, sql, args...)
		return v.u.send(ctx)
	}, resource, id, s)
}

// query queues a statement that returns rows. read gets them and need not close them.
func (u *unit) query(read func(pgx.Rows) error, sql string, args ...any) {
	u.batch.Queue(sql, args...).Fn = func(results pgx.BatchResults) error {
		rows, err := results.Query()
		if err != nil {
			return postgres.Fault(err, postgres.Storing)
		}
		defer rows.Close()
		if err := read(rows); err != nil {
			return err
		}
		rows.Close()
		return postgres.Fault(rows.Err(), postgres.Storing)
	}
}

// queryRow queues a statement that returns at most one row, which is scanned into the targets;
// found becomes whether there was one.
func (u *unit) queryRow(found *bool, targets []any, sql string, args ...any) {
	u.query(func(rows pgx.Rows) error {
		if *found = rows.Next(); *found {
			return rows.Scan(targets...)
		}
		return nil
	}, sql, args...)
}

// send sends what is queued in one round trip.
func (u *unit) send(ctx context.Context) error {
	if u.batch.Len() == 0 {
		return nil
	}
	batch := u.batch
	u.batch = &pgx.Batch{}
	return postgres.Fault(u.tx.SendBatch(ctx, batch).Close(), postgres.Storing)
}

// one runs a statement that returns at most one row and scans it into the targets;
// found reports whether there was one.
func (u *unit) one(ctx context.Context, targets []any, sql string, args ...any) (found bool, err error) {
	u.queryRow(&found, targets, sql, args...)
	err = u.send(ctx)
	return found, err
}

// existing is like one, for a record: if there is none, the error says what does not exist.
func (u *unit) existing(ctx context.Context, what string, targets []any, sql string, args ...any) error {
	found, err := u.one(ctx, targets, sql, args...)
	if err == nil && !found {
		return noSuch(what)
	}
	return err
}

// tracker remembers the records of one kind that are locked, so that saving one
// that does not differ costs nothing, and records their changes.
type tracker[ID comparable, S any] struct {
	*unit
	before  map[ID]S
	changes *[]repository.Change[S]
	id      func(S) ID
	same    func(a, b S) bool
}

// same is the comparison of a tracker whose states have no lists.
func same[S comparable](a, b S) bool { return a == b }

func tracked[ID comparable, S any](u *unit, changes *[]repository.Change[S], id func(S) ID, same func(a, b S) bool) tracker[ID, S] {
	return tracker[ID, S]{unit: u, changes: changes, id: id, same: same}
}

func (t *tracker[ID, S]) locked(s S) {
	if t.before == nil { // most units of work lock records of one or two kinds
		t.before = map[ID]S{}
	}
	t.before[t.id(s)] = s
}

// added records a new record, with its id in it.
func (t *tracker[ID, S]) added(s S) {
	t.locked(s)
	t.record(repository.Change[S]{After: &s})
}

// saved records the record's new state, and reports whether it differs from the one
// before, and so whether there is anything to store.
func (t *tracker[ID, S]) saved(s S) bool {
	before, ok := t.before[t.id(s)]
	if ok && t.same(before, s) {
		return false
	}
	t.locked(s)
	t.record(repository.Change[S]{Before: &before, After: &s})
	return true
}

func (t *tracker[ID, S]) removed(s S) {
	delete(t.before, t.id(s))
	t.record(repository.Change[S]{Before: &s})
}

func unchanged[ID comparable, S any](states map[ID]S) (all []repository.Change[S]) {
	for _, s := range states {
		all = append(all, repository.Change[S]{Before: &s, After: &s})
	}
	return all
}

func removals[ID comparable, S any](states map[ID]S) (all []repository.Change[S]) {
	for _, s := range states {
		all = append(all, repository.Change[S]{Before: &s})
	}
	return all
}

func (t *tracker[ID, S]) record(c repository.Change[S]) {
	c.Reaction = t.reaction
	*t.changes = append(*t.changes, c)
}

func noSuch(what string) error { return fault.New(fault.NotFound, "there is no such %s", what) }

package pgstore

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/admission"
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/membudget"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Projection stores rows that are derived from changes. It is called at the end of each unit of
// work, and before a record is read in it, with the changes since the previous call. The
// statements that it queues are part of the same transaction. The rows are computed by a function
// of package derive.
type Projection interface {
	Project(meta repository.Meta, changes repository.Changes, w *Writer)
}

// Extension is a projection that stores rows of a new record by the statement that inserts it.
type Extension interface {
	Projection
	// RowsOfNew returns common table expressions, each behind a comma, that store the rows of the one
	// record in added; "" if Project stores them.
	RowsOfNew(l *listdef.List) string
}

// Tx implements repository.Tx.
type Tx struct {
	db          postgres.DB
	projections []Projection
	records     *pgread.Records
	rules       ruleSets
	company     company.Code
	gate        *admission.Gate
}

var _ repository.Tx = (*Tx)(nil)

// NewTx returns the unit of work on the default company; every projection sees every change.
func NewTx(db postgres.DB, projections []Projection) *Tx {
	return &Tx{db: db, projections: projections, records: pgread.NewRecords()}
}

// NewTxOf is like NewTx, for another company; db is that company's part of the database.
func NewTxOf(of company.Code, db postgres.DB, projections []Projection) *Tx {
	t := NewTx(db, projections)
	t.company = of
	return t
}

// Limit makes units of work wait at the gate before they take a connection, because many writes
// of one caller may wait for the same row and would leave no connections to others. It returns t.
func (t *Tx) Limit(gate *admission.Gate) *Tx {
	t.gate = gate
	return t
}

// Do implements repository.Tx.
func (t *Tx) Do(ctx context.Context, meta repository.Meta, fn func(ctx context.Context, s repository.Stores) error) error {
	leave, err := t.gate.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	var outdated *repository.RuleSet // by the unit of work itself
	err = postgres.InTransaction(ctx, t.db, func(ctx context.Context, tx *postgres.Tx) error {
		set, isKnown, err := t.rules.load(ctx, tx)
		if err != nil {
			return err
		}
		u := &unit{tx: tx, company: t.company, meta: meta, projections: t.projections, records: t.records, ruleSet: set, unconfirmed: isKnown}
		defer u.release(ctx)
		err = fn(ctx, u.stores())
		if err == nil {
			err = u.settle(ctx)
		} else if confirmed := u.confirmRefusal(ctx, err); confirmed != nil {
			err = confirmed
		}
		if errors.Is(err, postgres.ErrRulesChanged) {
			t.rules.forget(set)
		}
		if outdated = nil; u.changesRules {
			outdated = &set
		}
		if err == nil && meta.DryRun {
			return postgres.ErrRollback
		}
		return err
	})
	if err == nil && outdated != nil { // spares the next unit of work a second run
		t.rules.forget(*outdated)
	}
	return err
}

// Writer queues the statements of one unit of work.
type Writer struct {
	queue []statement
}

type statement struct {
	sql  string
	args []any
	side postgres.Side
}

// Store queues a statement that inserts or updates rows.
func (w *Writer) Store(sql string, args ...any) {
	w.queue = append(w.queue, statement{sql: sql, args: args, side: postgres.Storing})
}

// Remove queues a statement that deletes rows, or clears columns of rows, which
// other rows may refer to.
func (w *Writer) Remove(sql string, args ...any) {
	w.queue = append(w.queue, statement{sql: sql, args: args, side: postgres.Removing})
}

type unit struct {
	Writer
	tx          *postgres.Tx
	company     company.Code
	meta        repository.Meta
	projections []Projection
	records     *pgread.Records
	changes     repository.Changes // since the projections were last called
	reserved    int                // bytes of loaded rows

	ruleSet      repository.RuleSet
	unconfirmed  bool // the rules have to be compared with the stored ones
	changesRules bool
	reaction     string // that makes the changes; empty: none

	prefetch  *prefetch // nil: Read is not expected
	spares    []spareNumber
	protected repository.FactKinds
	held      map[repository.Question]bool // subjects of facts that are locked
}

// reserve counts the memory of loaded rows until the unit of work ends.
func (u *unit) reserve(ctx context.Context, bytes int) error {
	err := membudget.From(ctx).Reserve(bytes)
	if err == nil {
		u.reserved += bytes
	}
	return err
}

func (u *unit) release(ctx context.Context) { membudget.From(ctx).Release(u.reserved) }

func (u *unit) stores() repository.Stores {
	deals := &deals{tracker: tracked(u, &u.changes.Deals, dealKey, same)}
	return repository.Stores{
		Users:        &users{tracker: tracked(u, &u.changes.Users, userKey, same)},
		Tokens:       &tokens{u: u},
		Statuses:     &statuses{tracker: tracked(u, &u.changes.Statuses, statusKey, same)},
		DealTypes:    trackedLabels(u, &u.changes.DealTypes, dealTypeSQL),
		InvoiceTypes: trackedLabels(u, &u.changes.InvoiceTypes, invoiceTypeSQL),
		Performers:   &performers{tracker: tracked(u, &u.changes.Performers, performerKey, same)},
		Clients:      &clients{tracker: tracked(u, &u.changes.Clients, clientKey, same)},
		Contacts:     &contacts{tracker: tracked(u, &u.changes.Contacts, contactKey, same)},
		Deals:        deals,
		Offers:       trackedDocuments(u, &u.changes.Offers, offerSQL),
		Contracts:    trackedDocuments(u, &u.changes.Contracts, contractSQL),
		Invoices:     &invoices{tracker: tracked(u, &u.changes.Invoices, invoiceKey, invoice.Same)},

		IdempotencyKeys: &idempotencyKeys{u: u},
		Rules:           trackedRules(u),
		Facts:           facts{u},
		References:      references{u, deals},
		View:            view{u},
	}
}

// settle stores everything queued, and what is derived from the changes. It commits in the
// same round trip, unless something can still be said against that.
func (u *unit) settle(ctx context.Context) error {
	u.derive()
	if u.meta.DryRun || u.unconfirmed || len(u.queue) == 0 {
		return u.flush(ctx)
	}
	queue := u.queue
	u.queue = nil
	batch := &pgx.Batch{}
	if err := u.addTo(ctx, batch, queue); err != nil {
		return err
	}
	return u.tx.CommitWith(ctx, batch, func(results pgx.BatchResults) error {
		return readResults(results, queue, nil)
	})
}

// derive queues what is derived from the changes, and the locks on the facts that they alter.
func (u *unit) derive() {
	for _, p := range u.projections {
		p.Project(u.meta, u.changes, &u.Writer)
	}
	u.protectFacts()
	u.changes = repository.Changes{}
}

type view struct{ u *unit }

// Read implements readmodel.View. In the same round trip, it first sends the queued statements
// and those of the projections.
func (v view) Read(ctx context.Context, of *readmodel.Resource, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	v.u.derive()
	if rows := v.u.prefetched(of, id, s); rows != nil {
		return rows, nil
	}
	return v.u.records.Read(ctx, func(ctx context.Context, sql string, args []any, read func(pgx.Rows) error) error {
		return v.u.query(ctx, query{sql, args, read})
	}, of, id, s)
}

// query is a statement that returns rows. read gets them and need not close them.
type query struct {
	sql  string
	args []any
	read func(pgx.Rows) error
}

// oneRow is a query of at most one row, which is scanned into the targets; found
// becomes whether there was one.
func oneRow(found *bool, targets []any, sql string, args ...any) query {
	return query{sql, args, func(rows pgx.Rows) error {
		if *found = rows.Next(); *found {
			return rows.Scan(targets...)
		}
		return nil
	}}
}

// query runs the queries, and before them what is queued, in one round trip.
func (u *unit) query(ctx context.Context, queries ...query) error {
	if len(queries) == 0 {
		return nil
	}
	statements := make([]statement, len(queries))
	for i, q := range queries {
		statements[i] = statement{sql: q.sql, args: q.args}
	}
	return u.send(ctx, func(results pgx.BatchResults) error {
		for _, q := range queries {
			if err := q.results(results); err != nil {
				return err
			}
		}
		return nil
	}, statements...)
}

// results reads the next results, which are those of the query.
func (q query) results(results pgx.BatchResults) error {
	rows, err := results.Query()
	if err != nil {
		return postgres.Fault(err, postgres.Storing)
	}
	defer rows.Close()
	if err := q.read(rows); err != nil {
		return err
	}
	rows.Close()
	return postgres.Fault(rows.Err(), postgres.Storing)
}

// one runs a statement that returns at most one row and scans it into the targets;
// found reports whether there was one.
func (u *unit) one(ctx context.Context, targets []any, sql string, args ...any) (found bool, err error) {
	err = u.query(ctx, oneRow(&found, targets, sql, args...))
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

func (u *unit) flush(ctx context.Context) error {
	if len(u.queue) == 0 {
		return nil
	}
	return u.send(ctx, nil)
}

// send sends the queue, and behind it the statements whose results last reads.
func (u *unit) send(ctx context.Context, last func(pgx.BatchResults) error, more ...statement) error {
	queue := u.queue
	u.queue = nil
	batch := &pgx.Batch{}
	confirms := u.unconfirmed
	u.unconfirmed = false
	if confirms {
		batch.Queue(selectRuleSetVersion)
	}
	if err := u.addTo(ctx, batch, append(queue, more...)); err != nil {
		return err
	}
	results := u.tx.SendBatch(ctx, batch)
	if confirms {
		if err := u.confirm(results.QueryRow()); err != nil {
			_ = results.Close()
			return err
		}
	}
	if err := readResults(results, queue, last); err != nil {
		_ = results.Close() // after a failure the end of a batch only repeats it
		return err
	}
	return postgres.Fault(results.Close(), postgres.Storing)
}

// addTo adds the statements to the batch, with ids for new rows.
func (u *unit) addTo(ctx context.Context, batch *pgx.Batch, statements []statement) error {
	if u.tx.IsStored() {
		return errEnded
	}
	if err := u.number(ctx, statements); err != nil {
		return err
	}
	for _, s := range statements {
		batch.Queue(postgres.NameZone(u.tx.Conn(), u.sql(s)), s.args...)
	}
	return nil
}

// confirm compares the version of the rules with the stored one.
func (u *unit) confirm(row pgx.Row) error {
	var version int64
	if err := row.Scan(&version); err != nil {
		return postgres.Fault(err, postgres.Storing)
	}
	if version != u.ruleSet.Version {
		return postgres.ErrRulesChanged
	}
	return nil
}

// confirmRefusal confirms the rules of a unit of work that was refused before it has sent a
// statement.
func (u *unit) confirmRefusal(ctx context.Context, refusal error) error {
	if !u.unconfirmed || len(u.ruleSet.Rules) == 0 || fault.As(refusal) == nil {
		return nil
	}
	u.queue = nil
	return u.send(ctx, nil)
}

func readResults(results pgx.BatchResults, queue []statement, last func(pgx.BatchResults) error) error {
	for _, s := range queue {
		if _, err := results.Exec(); err != nil {
			return postgres.Fault(err, s.side)
		}
	}
	if last == nil {
		return nil
	}
	return last(results)
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

func (t *tracker[ID, S]) record(c repository.Change[S]) {
	t.dropPrefetched()
	c.Reaction = t.reaction
	*t.changes = append(*t.changes, c)
}

func noSuch(what string) error { return fault.New(fault.NotFound, "there is no such %s", what) }

package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/ports/company"
)

// beginning begins a transaction of the level of readCommitted, whatever the default of the
// connection.
const beginning = "begin isolation level read committed"

// beginAsSet begins a transaction with the default isolation level of the connection, which is READ
// COMMITTED on connections of the service.
const beginAsSet = "begin"

// Tx is a transaction of InTransaction, which ends it. It begins with its first statement. If
// that is a batch, both are one round trip.
//
// Chose this over pgxpool's Begin, because a short write consists of few round trips, and
// an eighth of its CPU time was beginning. Costs that a connection that turns out to
// be broken is noticed only by the first statement, so the unit of work is run again.
type Tx struct {
	conn     *pgxpool.Conn
	of       company.Code // whose statements it has; empty: those of the search path
	shards   *Shards      // nil: its statements name the tables of Citus
	pool     *CompanyPool // of the company; nil: the connection is of another pool
	begun    bool
	ended    bool
	hasMoved bool // the tables of the company are not here any more
}

func newTx(ctx context.Context, db DB) (*Tx, error) {
	d, isCompany := db.(*companyDB)
	if !isCompany {
		conn, err := db.Acquire(ctx)
		return &Tx{conn: conn}, err
	}
	tx := &Tx{of: d.code, pool: d.pool, shards: d.local()}
	node := ""
	if tx.shards != nil {
		node = tx.shards.node
	}
	lane, to, err := d.take(ctx, noCompany, node)
	if err == nil {
		tx.conn, err = lane.Acquire(to)
	}
	return tx, err
}

// Numbers draws numbers for new rows of the tables, in this order. They are 0 if the rows get their
// numbers when they are inserted.
//
// Chose the sequences of the coordinator over sequences on the worker, because there is only one of
// each then: numbers are those of one server, wherever the company is moved to, by whichever command,
// and for all ways of writing; none is used twice. Costs a short statement on the coordinator, a
// seventh of the CPU time of a new client.
func (t *Tx) Numbers(ctx context.Context, tables ...string) ([]int64, error) {
	if t.shards == nil || len(tables) == 0 {
		return make([]int64, len(tables)), nil
	}
	return t.pool.drawNumbers(ctx, t.of, tables)
}

func (t *Tx) begin(ctx context.Context) error {
	if t.begun {
		return nil
	}
	openings := t.openings()
	if len(openings) > 1 {
		return t.SendBatch(ctx, &pgx.Batch{}).Close()
	}
	_, err := t.conn.Exec(ctx, openings[0])
	t.begun = err == nil
	return err
}

// openings are the statements that begin the transaction, also on a worker.
//
// With the names of Citus it takes the lock against moves on the coordinator, because it may read
// and lock rows on a worker before its first write, for which Citus takes it.
func (t *Tx) openings() []string {
	if t.shards != nil {
		return t.shards.openings
	}
	switch known, _ := t.Conn().PgConn().CustomData()[openingsKey].([]string); len(known) {
	case 0:
		return []string{beginning}
	case 1:
		return known
	default: // on Citus
		return append(slices.Clone(known), lockPlace(t.of))
	}
}

// lockPlace locks the tables of the company, or else of the search path, if they are distributed.
func lockPlace(of company.Code) string {
	schema := ""
	if of != "" {
		schema = of.Schema() + "."
	}
	return fmt.Sprintf(`
select pg_catalog.lock_shard_metadata(%d, array[shardid])
from pg_catalog.pg_dist_shard
where logicalrelid = pg_catalog.to_regclass('%ssettings')`, shareLock, schema)
}

// text is the statement with the names that tables have on this connection.
func (t *Tx) text(sql string) string {
	if t.shards == nil {
		return Qualify(sql, t.of)
	}
	var b strings.Builder
	b.Grow(2 * len(sql))
	b.WriteString(tag(t.of))
	if !t.shards.replace(&b, sql) { // a table that is newer than the names
		t.hasMoved = true
	}
	return b.String()
}

// Index is the name of an index of the table on this connection.
func (t *Tx) Index(table, index string) string {
	if t.of == "" {
		return index
	}
	schema := t.of.Schema() + "."
	if t.shards != nil { // the names of both end with the number of the shard
		index += strings.TrimPrefix(t.shards.names[table], schema+table)
	}
	return schema + index
}

// textAll is a batch of such statements.
func (t *Tx) textAll(b *pgx.Batch) *pgx.Batch {
	for _, q := range b.QueuedQueries {
		q.SQL = t.text(q.SQL)
	}
	return b
}

// SendBatch sends a batch.
func (t *Tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.send(ctx, t.textAll(b))
}

func (t *Tx) send(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if t.begun {
		return t.conn.SendBatch(ctx, b)
	}
	var first pgx.Batch
	for _, sql := range t.openings() {
		first.Queue(sql)
	}
	b.QueuedQueries = slices.Concat(first.QueuedQueries, b.QueuedQueries)
	results := t.conn.SendBatch(ctx, b)
	_, err := results.Exec()
	t.begun = err == nil
	for range len(first.QueuedQueries) - 1 {
		if _, failed := results.Exec(); err == nil {
			err = failed
		}
	}
	if t.shards != nil && isState(err, divisionByZero, undefinedTable, internalError) {
		t.hasMoved = true // a shard that Citus does not know is an internal error
	}
	return results // an error is that of the next result as well
}

// Exec runs a statement without rows.
func (t *Tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := t.begin(ctx); err != nil {
		return pgconn.CommandTag{}, err
	}
	return t.conn.Exec(ctx, t.text(sql), args...)
}

// Query runs a statement that returns rows.
func (t *Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	return t.conn.Query(ctx, t.text(sql), args...)
}

// QueryRow runs a statement that returns at most one row.
func (t *Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := t.begin(ctx); err != nil {
		return firstRow{err: err}
	}
	return t.conn.QueryRow(ctx, t.text(sql), args...)
}

// Conn is the connection of the transaction.
func (t *Tx) Conn() *pgx.Conn { return t.conn.Conn() }

// commit is like that of pgx.Tx: a connection that fails to commit is closed, and
// pgx.ErrTxCommitRollback says that the transaction had failed before.
func (t *Tx) commit(ctx context.Context) error {
	if !t.begun {
		return nil
	}
	t.ended = true
	done, err := t.conn.Exec(ctx, commitSQL)
	return t.committed(ctx, done, err)
}

// Confirm commits a transaction that will end with an error about what it has read. If it has locked a
// row, it waits until what it has read is on the disk and on the synchronous replicas.
func (t *Tx) Confirm(ctx context.Context) error {
	err := t.commit(ctx)
	if err == nil || isAnswered(err) {
		return err
	}
	return unknownOutcome(err)
}

const commitSQL = "commit"

func (t *Tx) committed(ctx context.Context, done pgconn.CommandTag, err error) error {
	switch {
	case err != nil && t.conn.Conn().PgConn().TxStatus() != 'I':
		_ = t.conn.Conn().Close(ctx) // the error is that of the commit
		return err
	case err == nil && done.String() == "ROLLBACK":
		return pgx.ErrTxCommitRollback
	case err == nil && takeUnreplicated(t.conn.Conn().PgConn()):
		return unreplicated
	}
	return err
}

// rollbackUnlessEnded rolls back a transaction that has begun and not ended.
func (t *Tx) rollbackUnlessEnded(ctx context.Context) {
	if t.begun && !t.ended {
		rollback(ctx, t.rollback)
	}
}

// rollback ends a transaction that has begun. A connection that fails to do so is closed,
// and the database rolls back.
func (t *Tx) rollback(ctx context.Context) error {
	t.ended = true
	_, err := t.conn.Exec(ctx, "rollback")
	if err != nil {
		_ = t.conn.Conn().Close(ctx) // the error is that of the rollback
	}
	return err
}

package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"

	"github.com/kontor-crm/kontor/ports/tenant"
)

// Pool has the connections to one server, for all companies whose tables are there. It runs no statements: the handle
// of a company does.
//
// Chose: the schema and the time zone are set in the session when a connection is acquired whose last company was
// another one. Because: pgx prepares a statement in a round trip before that of its transaction, so that a setting
// of the transaction would come too late, and a batch cannot have results as text. Costs: a round trip for each switch, and
// the connection must be closed if it fails.
//
// Chose: the schema is a comment in the text of each statement. Because: pgx names prepared statements by their text, and
// PostgreSQL plans one again whenever the search path differs from that of its plan. Costs: the companies of a
// connection share the statements that it keeps prepared.
type Pool struct {
	conns   *pgxpool.Pool
	zone    string
	timeout time.Duration // of a statement

	waits, waited atomic.Int64 // for the share of a company, in nanoseconds
}

// OpenPool returns a pool. It connects lazily: the first statement fails if the database is
// down.
//
// Every connection uses ISO dates, because readers pass the text of the database on unchanged. Connecting fails if the
// default company has another time zone than the configuration, so that a running service shows no wrong times after a
// change of the zone. It also fails if the database requires a newer program, if a setting of the session is not in
// effect (SessionMismatch), and through a connection pooler that does not keep sessions (ErrNoSession).
func OpenPool(ctx context.Context, c Config) (*Pool, error) {
	config, err := poolConfig(c)
	if err != nil {
		return nil, err
	}
	return newPool(ctx, config, c)
}

func newPool(ctx context.Context, config *pgxpool.Config, c Config) (*Pool, error) {
	conns, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("create the connection pool: %w", err)
	}
	return &Pool{conns: conns, zone: c.Zone, timeout: c.StatementTimeout}, nil
}

// Open returns the default company's handle of a pool of its own.
func Open(ctx context.Context, c Config) (*DB, error) {
	pool, err := OpenPool(ctx, c)
	if err != nil {
		return nil, err
	}
	return pool.Company("", c.Zone, 0), nil
}

// Close closes the connections, when they have been released.
func (p *Pool) Close() { p.conns.Close() }

// PoolState is a snapshot of a pool: its connections, and its totals since the start.
type PoolState struct {
	Acquired, Idle, Max int32
	Acquires, Waits     int64
	Waited              time.Duration
}

// State returns the present state. Waiting includes that for the share of a company.
func (p *Pool) State() PoolState {
	s := p.conns.Stat()
	return PoolState{
		Acquired: s.AcquiredConns(), Idle: s.IdleConns(), Max: s.MaxConns(), Acquires: s.AcquireCount(),
		Waits: s.EmptyAcquireCount() + p.waits.Load(), Waited: s.EmptyAcquireWaitTime() + time.Duration(p.waited.Load()),
	}
}

// DB is the handle of one company: its statements run in the schema and the time zone of that company alone.
type DB struct {
	pool    *Pool
	served  served
	comment string              // of each statement; empty for the default company
	slots   *semaphore.Weighted // connections at the same time; nil: as many as the pool has
}

// served is the company that a connection serves. A new one serves the default company.
type served struct{ schema, zone string }

// servedKey is that of a connection's data for its company.
const servedKey = "company"

// Company returns the handle of a company, which has at most so many connections at the same time; 0: as many as the pool
// has. The default company's schema is that of the database URL.
func (p *Pool) Company(code tenant.Code, zone string, connections int) *DB {
	db := &DB{pool: p, served: served{zone: zone}}
	if code != "" {
		db.served.schema = code.Schema()
		db.comment = "/* " + code.Schema() + " */ "
	}
	if connections > 0 {
		db.slots = semaphore.NewWeighted(int64(connections))
	}
	return db
}

// Pool returns the pool, which handles of other companies have too.
func (db *DB) Pool() *Pool { return db.pool }

// Close closes the pool.
func (db *DB) Close() { db.pool.Close() }

// Reset closes the connections of the pool when they are released.
func (db *DB) Reset() { db.pool.conns.Reset() }

// Config returns the settings of the connections.
func (db *DB) Config() *pgxpool.Config { return db.pool.conns.Config() }

// Zone returns the time zone of the company.
func (db *DB) Zone() string { return db.served.zone }

// text is the statement as it is sent.
func (db *DB) text(sql string) string { return db.comment + sql }

func (db *DB) mark(queries []*pgx.QueuedQuery) {
	for _, q := range queries {
		q.SQL = db.text(q.SQL)
	}
}

// conn is a connection that serves the company until it is released.
type conn struct {
	*pgx.Conn
	release func() // may be called again
}

func (db *DB) acquire(ctx context.Context) (*conn, error) {
	leave, err := db.takeSlot(ctx)
	if err != nil {
		return nil, err
	}
	acquired, err := db.pool.conns.Acquire(ctx)
	if err != nil {
		leave()
		return nil, err
	}
	c := &conn{acquired.Conn(), sync.OnceFunc(func() {
		acquired.Release()
		leave()
	})}
	if err := db.enter(ctx, c.Conn); err != nil {
		_ = c.Close(ctx)
		c.release()
		return nil, err
	}
	return c, nil
}

func (db *DB) takeSlot(ctx context.Context) (leave func(), err error) {
	if db.slots == nil {
		return func() {}, nil
	}
	leave = func() { db.slots.Release(1) }
	if db.slots.TryAcquire(1) {
		return leave, nil
	}
	began := time.Now()
	err = db.slots.Acquire(ctx, 1)
	db.pool.waits.Add(1)
	db.pool.waited.Add(int64(time.Since(began)))
	return leave, err
}

// enter has the connection serve the company.
func (db *DB) enter(ctx context.Context, c *pgx.Conn) error {
	data := c.PgConn().CustomData()
	last, isKnown := data[servedKey].(served)
	if !isKnown {
		last = served{zone: db.pool.zone}
	}
	if last == db.served {
		return nil
	}
	path := "reset search_path"
	if db.served.schema != "" {
		path = "set search_path = " + db.served.schema
	}
	zone := "; set time zone '" + strings.ReplaceAll(db.served.zone, "'", "''") + "'"
	if _, err := c.PgConn().Exec(ctx, path+zone).ReadAll(); err != nil {
		return err
	}
	data[servedKey] = db.served
	return nil
}

// Query is like that of a pgx pool.
func (db *DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	c, err := db.acquire(ctx)
	if err != nil {
		return pgx.FailedBatchResults(&pgx.Batch{}, err).Query()
	}
	found, err := c.Query(ctx, db.text(sql), args...)
	if err != nil {
		c.release()
		return found, err
	}
	return &rows{found, c.release}, nil
}

// QueryRow is like that of a pgx pool.
func (db *DB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	found, _ := db.Query(ctx, sql, args...) // with the error
	return row{found}
}

// Exec is like that of a pgx pool.
func (db *DB) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	c, err := db.acquire(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	defer c.release()
	return c.Exec(ctx, db.text(sql), args...)
}

// Begin is like that of a pgx pool.
func (db *DB) Begin(ctx context.Context) (pgx.Tx, error) { return db.BeginTx(ctx, pgx.TxOptions{}) }

// BeginTx is like that of a pgx pool.
func (db *DB) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	c, err := db.acquire(ctx)
	if err != nil {
		return nil, err
	}
	begun, err := c.BeginTx(ctx, options)
	if err != nil {
		c.release()
		return nil, err
	}
	return &tx{begun, db, c.release}, nil
}

// Alone calls do, unless another process is in a call with the same name. A connection holds the lock meanwhile.
func (db *DB) Alone(ctx context.Context, name string, do func() error) error {
	c, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	lock := "kontor " + name
	var isAlone bool
	err = c.QueryRow(ctx, "select pg_try_advisory_lock(hashtextextended($1, 0))", lock).Scan(&isAlone)
	if err != nil || !isAlone {
		return err
	}
	defer rollback(ctx, func(ctx context.Context) error {
		if _, err := c.Exec(ctx, "select pg_advisory_unlock(hashtextextended($1, 0))", lock); err != nil {
			return c.Close(ctx) // the lock ends with the connection
		}
		return nil
	})
	return do()
}

// rows release their connection at their end.
type rows struct {
	pgx.Rows
	release func()
}

func (r *rows) Close() {
	r.Rows.Close()
	r.release()
}

func (r *rows) Next() bool {
	hasNext := r.Rows.Next()
	if !hasNext {
		r.Close()
	}
	return hasNext
}

type row struct{ pgx.Rows }

func (r row) Scan(targets ...any) error {
	defer r.Close()
	if !r.Next() {
		if err := r.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.Rows.Scan(targets...); err != nil {
		return err
	}
	r.Close()
	return r.Err()
}

// tx is a transaction of a company.
type tx struct {
	pgx.Tx
	db      *DB
	release func() // its connection
}

func (t *tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.Tx.Query(ctx, t.db.text(sql), args...)
}

func (t *tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.Tx.QueryRow(ctx, t.db.text(sql), args...)
}

func (t *tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.Tx.Exec(ctx, t.db.text(sql), args...)
}

func (t *tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	t.db.mark(b.QueuedQueries)
	return t.Tx.SendBatch(ctx, b)
}

// Begin begins a part of the transaction, up to a savepoint.
func (t *tx) Begin(ctx context.Context) (pgx.Tx, error) {
	nested, err := t.Tx.Begin(ctx)
	return &tx{nested, t.db, func() {}}, err
}

func (t *tx) Commit(ctx context.Context) error {
	defer t.release()
	return t.Tx.Commit(ctx)
}

func (t *tx) Rollback(ctx context.Context) error {
	defer t.release()
	return t.Tx.Rollback(ctx)
}

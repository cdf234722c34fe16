package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/observe"
)

// companyDB is the DB of a company: a pool whose statements name the schema of their tables.
//
// Chose statements that are qualified when they are sent, by one function, over a connection
// that switches its search path to the company, because switching takes a round trip and cools
// the caches: of the CPU time of reading clients, 0.15 ms on a connection that serves one
// company, it took another 0.12 ms, or 0.06 ms as a plain set statement; qualified statements
// take 0.01 ms more (two processors, 50 companies on 16 connections). With one text for all
// companies PostgreSQL plans a statement again whenever the path is not that of its plan, and
// a statement that is not prepared takes several times as long, even with a single company
// (BenchmarkCompanyStatements).
//
// Stores and readers are written without schema names all the same. The search path of these
// connections has no company's schema, so that a table which Qualify does not know is an error,
// and never another company's. Costs a microsecond for each statement, and that statements have
// another text for each company.
type companyDB struct {
	pool   *CompanyPool
	code   company.Code
	zone   string
	shards *Shards // nil: all statements go to the server of the database URL
}

// local returns the tables on the company's own node; nil if they are not used, or not any more.
func (d *companyDB) local() *Shards {
	if d.shards == nil || d.shards.areGone.Load() {
		return nil
	}
	return d.shards
}

// session is what a connection is acquired for, and the state that it was left in.
type session struct {
	of         company.Code
	path, zone string
	node       string // host and port; empty: as the database URL says
}

type sessionKey struct{}

// The keys of pgconn.PgConn.CustomData.
const (
	inSession   = "session"
	connectedTo = "connected to" // a node, as in session
	served      = "served"       // a map of the codes of the companies that it has served
)

// maxServed is how many companies a connection serves before it is closed: its server process
// grows by some 0.6 MB for each, which PostgreSQL returns only with the process.
const maxServed = 100

var errNoCompany = errors.New("the connection is for a company, and none is given")

// bind makes a connection ready for the company of the context. If that fails, for whatever
// reason, the connection is closed: its state is unknown. It is also closed, and replaced by a
// new one, if it has served too many other companies, or is to another node.
func bind(ctx context.Context, conn *pgx.Conn) (isUsable bool, err error) {
	to, ok := ctx.Value(sessionKey{}).(session)
	if !ok {
		return false, errNoCompany
	}
	data := conn.PgConn().CustomData()
	if node, _ := data[connectedTo].(string); node != to.node {
		return false, nil
	}
	before, _ := data[served].(map[company.Code]bool)
	if len(before) >= maxServed && !before[to.of] {
		return false, nil
	}
	if before == nil {
		before = map[company.Code]bool{}
		data[served] = before
	}
	before[to.of] = true
	is, _ := data[inSession].(session)
	if is.path == to.path && is.zone == to.zone {
		return true, nil
	}
	if err := ctx.Err(); err != nil {
		return true, err
	}
	delete(data, inSession)
	_, err = conn.Exec(observe.WithoutRequest(ctx), "select set_config('search_path', $1, false), set_config('TimeZone', $2, false)", to.path, to.zone)
	if err != nil {
		return false, err
	}
	data[inSession] = to
	return true, nil
}

// checkCompanies is Config.check for a new connection of a lane. It notes the node to which the
// connection is.
func (c Config) checkCompanies(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(observe.WithoutRequest(ctx), connectTimeout)
	defer cancel()
	if of, ok := ctx.Value(sessionKey{}).(session); ok {
		conn.PgConn().CustomData()[connectedTo] = of.node
		c.direct = of.node != ""
	}
	err := checkSession(ctx, conn, c)
	if isMisconfigured(err) {
		return unavailable.WithCause(err)
	}
	if err != nil || c.Admit == nil {
		return err
	}
	return c.Admit(ctx, conn)
}

// CheckCompany returns an error if the company's tables cannot be used: the schema lacks a
// migration, requires a newer program, or has another time zone than the catalogue.
func CheckCompany(ctx context.Context, db DB, zone string) error {
	schema, err := Repeat(ctx, db, func() (schema, error) { return readSchema(ctx, db) })
	if err == nil {
		err = schema.check(zone)
	}
	if err != nil {
		return unavailable.WithCause(err)
	}
	return nil
}

// take waits for a lane, and returns the context in which its connection is the company's.
func (d *companyDB) take(ctx context.Context, path, node string) (*pgxpool.Pool, context.Context, error) {
	l, err := d.pool.queue.Take(ctx, d.code, node)
	if err != nil {
		return nil, nil, err
	}
	return d.pool.pools[l.Number], context.WithValue(ctx, sessionKey{}, session{d.code, path, d.zone, node}), nil
}

// Acquire implements DB. The search path of the connection has the company's schema, because
// its statements are not qualified. It is to the server of the database URL.
func (d *companyDB) Acquire(ctx context.Context) (*pgxpool.Conn, error) {
	lane, ctx, err := d.take(ctx, d.code.Schema(), "")
	if err != nil {
		return nil, err
	}
	return lane.Acquire(ctx)
}

// BeginTx implements DB, for a transaction that only reads. Its statements name the tables of
// Citus, which finds them wherever they are moved to.
func (d *companyDB) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	node := ""
	if local := d.local(); local != nil {
		node = local.node
	}
	lane, ctx, err := d.take(ctx, noCompany, node)
	if err != nil {
		return nil, err
	}
	tx, err := lane.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	return companyTx{tx, d.code}, nil
}

// Query implements DB, for a statement that only reads.
func (d *companyDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if rows, err := d.queryShards(ctx, sql, args); !errors.Is(err, errNoShards) {
		return rows, err
	}
	lane, ctx, err := d.take(ctx, noCompany, "")
	if err != nil {
		return nil, err
	}
	return lane.Query(ctx, Qualify(sql, d.code), args...)
}

// QueryRow implements DB, for a statement that only reads.
func (d *companyDB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := d.Query(ctx, sql, args...)
	return firstRow{rows, err}
}

func (d *companyDB) Exec(ctx context.Context, sql string, args ...any) (done pgconn.CommandTag, err error) {
	if d.local() == nil {
		lane, ctx, err := d.take(ctx, noCompany, "")
		if err != nil {
			return pgconn.CommandTag{}, err
		}
		return lane.Exec(ctx, Qualify(sql, d.code), args...)
	}
	err = InTransaction(ctx, d, func(ctx context.Context, tx *Tx) (err error) {
		done, err = tx.Exec(ctx, sql, args...)
		return err
	})
	return done, err
}

// Config implements DB. Connections with it have the company's schema, and go to the server of
// the database URL.
func (d *companyDB) Config() *pgxpool.Config {
	c := d.pool.pools[0].Config()
	c.BeforeConnect, c.PrepareConn = nil, nil
	c.ConnConfig.RuntimeParams["search_path"] = d.code.Schema()
	c.ConnConfig.RuntimeParams["TimeZone"] = d.zone
	return c
}

// Reset implements DB. It also resets the connections of other companies to the same servers.
func (d *companyDB) Reset() {
	lanes := d.pool.queue.LanesTo("")
	if d.shards != nil {
		lanes = append(lanes, d.pool.queue.LanesTo(d.shards.node)...)
	}
	for _, l := range lanes {
		d.pool.pools[l.Number].Reset()
	}
}

type companyTx struct {
	pgx.Tx
	of company.Code
}

func (t companyTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.Tx.Query(ctx, Qualify(sql, t.of), args...)
}

func (t companyTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.Tx.QueryRow(ctx, Qualify(sql, t.of), args...)
}

func (t companyTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.Tx.Exec(ctx, Qualify(sql, t.of), args...)
}

func (t companyTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.Tx.SendBatch(ctx, qualifyAll(b, t.of))
}

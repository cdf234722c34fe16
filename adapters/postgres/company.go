package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/observe"
)

// companyDB is the DB of a company.
//
// Chose statements with a mark of the company, on connections that switch the search path, over
// one text for all companies, because PostgreSQL plans a statement again whenever the path is
// not that of its plan, and over not preparing, which takes a multiple for every company, also
// if there is only one. On one connection that serves six companies in turn, reading a client
// took 0.17 ms with a mark, 0.24 ms with one text, and 0.69 ms unprepared. 50 busy companies had
// 1,150 requests a second with marks, 820 with one text, and 960 unprepared (two processors,
// BenchmarkCompanyStatements, medians).
//
// Names with a schema in the text would save the switch, and took 0.10 ms. Chose against them,
// because the connection has to be switched to another time zone all the same, constant SQL
// would have to be composed, and a forgotten name would read another company's table, where it
// is an error now. Costs 0.07 ms whenever a connection changes its company.
type companyDB struct {
	pool *CompanyPool
	code company.Code
	zone string
	mark string // in front of its statements
}

// boundKey is the key of a context for the *companyDB that a connection is acquired for, and
// of a connection's data for the one that it is bound to.
type boundKey struct{}

// The keys of a connection's data.
const (
	boundTo = "bound to"
	served  = "served" // a map of the codes of the companies that it has been bound to
)

// maxServed is how many companies a connection serves before it is closed: its server process
// grows by some 0.6 MB for each, which PostgreSQL returns only with the process.
const maxServed = 100

var errNoCompany = errors.New("the connection is for a company, and none is given")

// bind binds a connection to the company of the context before it is used. If that fails, for
// whatever reason, the connection is closed: its search path is unknown. It is also closed, and
// replaced by a new one, if it has served too many other companies.
func bind(ctx context.Context, conn *pgx.Conn) (isUsable bool, err error) {
	to, ok := ctx.Value(boundKey{}).(*companyDB)
	if !ok {
		return false, errNoCompany
	}
	data := conn.PgConn().CustomData()
	if bound := boundOf(conn); bound != nil && bound.code == to.code && bound.zone == to.zone {
		return true, nil
	}
	if err := ctx.Err(); err != nil {
		return true, err
	}
	before, _ := data[served].(map[company.Code]bool)
	if len(before) >= maxServed && !before[to.code] {
		return false, nil
	}
	delete(data, boundTo)
	_, err = conn.Exec(observe.WithoutRequest(ctx), "select set_config('search_path', $1, false), set_config('TimeZone', $2, false)", to.code.Schema(), to.zone)
	if err != nil {
		return false, err
	}
	if before == nil {
		before = map[company.Code]bool{}
		data[served] = before
	}
	before[to.code] = true
	data[boundTo] = to
	return true, nil
}

// boundOf is what the connection is bound to; nil: it is no company's.
func boundOf(conn *pgx.Conn) *companyDB {
	bound, _ := conn.PgConn().CustomData()[boundTo].(*companyDB)
	return bound
}

// markOn is the mark of statements on the connection.
func markOn(conn *pgx.Conn) string {
	if bound := boundOf(conn); bound != nil {
		return bound.mark
	}
	return ""
}

// withoutMark is the statement as it was before it was marked.
func withoutMark(sql string) string {
	if rest, isMarked := strings.CutPrefix(sql, "/*"); isMarked {
		_, sql, _ = strings.Cut(rest, "*/ ")
	}
	return sql
}

// checkCompanies is Config.check for a connection that belongs to no company yet.
func (c Config) checkCompanies(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(observe.WithoutRequest(ctx), connectTimeout)
	defer cancel()
	err := checkSession(ctx, conn, c)
	if isMisconfigured(err) {
		return unavailable.Because(err)
	}
	return err
}

// CheckCompany returns an error if requests cannot use the company's tables as they are: the
// schema lacks a migration, requires a newer program, or has another zone than the catalogue.
func CheckCompany(ctx context.Context, db DB, zone string) error {
	schema, err := readSchema(ctx, db)
	if Reconnect(ctx, db, err) {
		schema, err = readSchema(ctx, db)
	}
	if err == nil {
		err = schema.check(zone)
	}
	if err != nil {
		return unavailable.Because(err)
	}
	return nil
}

// take waits for a lane, and returns the context in which its connection is the company's.
func (d *companyDB) take(ctx context.Context) (*pgxpool.Pool, context.Context, error) {
	l, err := d.pool.queue.take(ctx, d.code)
	if err != nil {
		return nil, nil, err
	}
	return l.pool, context.WithValue(ctx, boundKey{}, d), nil
}

// Acquire implements DB. Its statements are not marked.
func (d *companyDB) Acquire(ctx context.Context) (*pgxpool.Conn, error) {
	lane, ctx, err := d.take(ctx)
	if err != nil {
		return nil, err
	}
	return lane.Acquire(ctx)
}

// BeginTx implements DB.
func (d *companyDB) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	lane, ctx, err := d.take(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := lane.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	return markedTx{tx, d.mark}, nil
}

// Query implements DB.
func (d *companyDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	lane, ctx, err := d.take(ctx)
	if err != nil {
		return nil, err
	}
	return lane.Query(ctx, d.mark+sql, args...)
}

// QueryRow implements DB.
func (d *companyDB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	lane, ctx, err := d.take(ctx)
	if err != nil {
		return failedRow{err}
	}
	return lane.QueryRow(ctx, d.mark+sql, args...)
}

// Exec implements DB.
func (d *companyDB) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	lane, ctx, err := d.take(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	return lane.Exec(ctx, d.mark+sql, args...)
}

// Config implements DB: connections with it are the company's.
func (d *companyDB) Config() *pgxpool.Config {
	c := d.pool.lanes[0].pool.Config()
	c.PrepareConn = nil
	c.ConnConfig.RuntimeParams["search_path"] = d.code.Schema()
	c.ConnConfig.RuntimeParams["TimeZone"] = d.zone
	return c
}

// Reset implements DB, for all companies: their connections are to the same server.
func (d *companyDB) Reset() {
	for _, l := range d.pool.lanes {
		l.pool.Reset()
	}
}

// markedTx is a transaction whose statements are marked.
type markedTx struct {
	pgx.Tx
	mark string
}

func (t markedTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.Tx.Query(ctx, t.mark+sql, args...)
}

func (t markedTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.Tx.QueryRow(ctx, t.mark+sql, args...)
}

func (t markedTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.Tx.Exec(ctx, t.mark+sql, args...)
}

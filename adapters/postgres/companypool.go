package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/lane"
	"github.com/kontor-crm/kontor/ports/caller"
	"github.com/kontor-crm/kontor/ports/company"
)

// CompanyPool is a pool of connections that all companies share.
//
// A connection serves one company after another. Statements name the schema of their company, so
// the search path has none, except for connections of DB.Acquire, whose statements are not
// qualified. If the next company has another time zone, the connection gets it, in one round
// trip.
//
// Chose a pool for each connection over one pool: package lane can then choose the connection that a
// request gets. Costs a queue of our own. Turns has the same limits for the default company.
type CompanyPool struct {
	queue   *lane.Queue
	pools   []*pgxpool.Pool // of one connection each, by the number of the lane
	url     string          // of the database
	numbers *pgxpool.Pool   // of the database; a transaction that waits for it holds a lane, and not the other way round
}

// OpenCompanies returns a pool that connects lazily. share is how much of it one company may
// hold.
func OpenCompanies(ctx context.Context, c Config, share caller.Share) (p *CompanyPool, err error) {
	n := c.MaxConns
	p = &CompanyPool{url: c.URL, queue: lane.NewQueue(int(n), int(share.Of(int64(n))))}
	c.MaxConns = 1
	for _, l := range p.queue.Lanes() {
		pool, err := p.newPool(ctx, c, l)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.pools = append(p.pools, pool)
	}
	if c.Turns != nil {
		c.Turns.queue.Store(p.queue)
	}
	if p.numbers, err = newNumbers(ctx, c, min(n, numberConnections)); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// numberConnections is how many connections draw numbers for new rows, each in a short statement.
const numberConnections = 4

func newNumbers(ctx context.Context, c Config, n int32) (*pgxpool.Pool, error) {
	c.MaxConns = n
	config, err := poolConfig(c)
	if err != nil {
		return nil, err
	}
	config.AfterConnect = c.checkCompanies
	return newPool(ctx, config)
}

func (p *CompanyPool) newPool(ctx context.Context, c Config, of *lane.Lane) (*pgxpool.Pool, error) {
	config, err := poolConfig(c)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.RuntimeParams["search_path"] = noCompany
	config.ConnConfig.Tracer = laneTracer{tracer: tracer{c.Spans}, lane: of, queue: p.queue}
	config.AfterConnect = c.checkCompanies
	config.BeforeConnect = p.direct
	config.PrepareConn = bind
	return newPool(ctx, config)
}

// noCompany is the search path of connections whose statements are qualified.
const noCompany = "pg_catalog"

// Close closes the connections. Those in use are closed when they are released.
func (p *CompanyPool) Close() {
	for _, pool := range p.pools {
		pool.Close()
	}
	if p.numbers != nil {
		p.numbers.Close()
	}
}

// DB returns the part of the database that belongs to the company. With shards its records are
// read and written on their worker.
func (p *CompanyPool) DB(of company.Company, at *Shards) DB {
	return &companyDB{pool: p, code: of.Code, zone: of.TimeZone, shards: at}
}

// drawNumbers takes the next numbers of the sequences of the company's tables. They may be taken
// again if the connection breaks: numbers that are not used are missing, as after a rollback.
func (p *CompanyPool) drawNumbers(ctx context.Context, of company.Code, tables []string) ([]int64, error) {
	sequences := make([]string, len(tables))
	for i, table := range tables {
		sequences[i] = of.Schema() + "." + table + "_id_seq"
	}
	return Repeat(ctx, p.numbers, func() (numbers []int64, err error) {
		if len(sequences) == 1 { // a fifth of the time of the general statement less
			numbers = []int64{0}
			err = p.numbers.QueryRow(ctx, "select nextval($1::text::regclass)", sequences[0]).Scan(&numbers[0])
		} else {
			err = p.numbers.QueryRow(ctx, "select array(select nextval(s::regclass) from unnest($1::text[]) s)", sequences).Scan(&numbers)
		}
		return numbers, err
	})
}

// Reset closes the connections that are free, and the others when they are released.
func (p *CompanyPool) Reset() {
	for _, pool := range p.pools {
		pool.Reset()
	}
}

// Connections returns the number of open connections, and how many of them are in use.
func (p *CompanyPool) Connections() (open, used int) {
	for _, pool := range append([]*pgxpool.Pool{p.numbers}, p.pools...) {
		s := pool.Stat()
		open += int(s.TotalConns())
		used += int(s.AcquiredConns())
	}
	return open, used
}

// Waiting returns the number of requests that wait for a connection.
func (p *CompanyPool) Waiting() int { return p.queue.Waiting() }

// laneTracer gives a lane back when its connection is released, or could not be acquired.
type laneTracer struct {
	tracer
	lane  *lane.Lane
	queue *lane.Queue
}

var _ interface {
	pgxpool.AcquireTracer
	pgxpool.ReleaseTracer
} = laneTracer{}

func (t laneTracer) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	return ctx
}

func (t laneTracer) TraceAcquireEnd(_ context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	if data.Conn == nil {
		t.queue.Free(t.lane)
	}
}

func (t laneTracer) TraceRelease(*pgxpool.Pool, pgxpool.TraceReleaseData) { t.queue.Free(t.lane) }

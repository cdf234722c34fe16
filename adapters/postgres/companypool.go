package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

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
// Chose a pool for each connection, a lane, over one pool: a company waits a few milliseconds for
// a lane that it has used, because that connection has the company's prepared statements, and its
// server process has the company's tables in its caches. Costs a queue of our own.
//
// Companies that wait for a connection take turns, however many requests each has, and each holds
// at most a share of the connections. While others use connections, it is half of the share, and a
// quarter for short requests, for at most quickUse of the time. Chose these limits because
// concurrent statements delay each other: on two processors, before statements were qualified, the
// p99 of a company beside one that writes at full rate was 2.8 times that alone if the other one
// wrote on two connections, 2.0 times on one, and 7.9 times without a limit. Slow requests get
// additional connections, so that they do not block the short ones of their own company. Costs
// throughput of a busy company beside others. Turns has the same limits for the default company.
type CompanyPool struct {
	lanes   []*lane
	queue   laneQueue
	url     string        // of the database
	numbers *pgxpool.Pool // of the database; a transaction that waits for it holds a lane, and not the other way round
}

type lane struct {
	pool   *pgxpool.Pool
	users  []laneUser // the last one first
	node   *string    // of the last user, to which the connection is; nil: there has been none
	isFree bool
}

// laneUser is a company that uses a lane. All users of a lane use one node, to which its
// connection is.
type laneUser struct {
	company company.Code
	node    string // empty: the server of the database URL
	last    time.Time
}

// The limits of a lane. All of its users share the preparedStatements of the connection.
const (
	maxUsers  = 6
	fewUsers  = 4                // a lane with fewer has room for a company that uses another lane
	usesUntil = 10 * time.Second // after its last use a company counts as a user
)

// OpenCompanies returns a pool that connects lazily. share is how much of it one company may
// hold.
func OpenCompanies(ctx context.Context, c Config, share caller.Share) (p *CompanyPool, err error) {
	p = &CompanyPool{url: c.URL}
	n := c.MaxConns
	c.MaxConns = 1
	for range n {
		l, err := p.newLane(ctx, c)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.lanes = append(p.lanes, l)
	}
	p.queue = newLaneQueue(p.lanes, int(share.Of(int64(n))))
	if c.Turns != nil {
		c.Turns.queue.Store(&p.queue)
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

func (p *CompanyPool) newLane(ctx context.Context, c Config) (*lane, error) {
	config, err := poolConfig(c)
	if err != nil {
		return nil, err
	}
	l := &lane{isFree: true}
	config.ConnConfig.RuntimeParams["search_path"] = noCompany
	config.ConnConfig.Tracer = laneTracer{tracer: tracer{observer: c.Observer, database: config.ConnConfig.Database}, lane: l, pool: p}
	config.AfterConnect = c.checkCompanies
	config.BeforeConnect = p.direct
	config.PrepareConn = bind
	l.pool, err = newPool(ctx, config)
	return l, err
}

// noCompany is the search path of connections whose statements are qualified.
const noCompany = "pg_catalog"

// Close closes the connections. Those in use are closed when they are released.
func (p *CompanyPool) Close() {
	for _, l := range p.lanes {
		l.pool.Close()
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
	for _, l := range p.lanes {
		l.pool.Reset()
	}
}

// Connections returns the number of open connections, and how many of them are in use.
func (p *CompanyPool) Connections() (open, used int) {
	pools := []*pgxpool.Pool{p.numbers}
	for _, l := range p.lanes {
		pools = append(pools, l.pool)
	}
	for _, pool := range pools {
		s := pool.Stat()
		open += int(s.TotalConns())
		used += int(s.AcquiredConns())
	}
	return open, used
}

// Waiting returns the number of requests that wait for a connection.
func (p *CompanyPool) Waiting() int { return p.queue.waiting() }

// laneTracer gives a lane back when its connection is released, or could not be acquired.
type laneTracer struct {
	tracer
	lane *lane
	pool *CompanyPool
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
		t.pool.queue.free(t.lane)
	}
}

func (t laneTracer) TraceRelease(*pgxpool.Pool, pgxpool.TraceReleaseData) { t.pool.queue.free(t.lane) }

// use makes the company the most recent user of the lane. If there are too many users, the least
// recent one is removed, and so are all users of another node.
func (l *lane) use(by company.Code, node string, now time.Time) {
	l.users = slices.DeleteFunc(l.users, func(u laneUser) bool {
		return u.company == by || u.node != node || now.Sub(u.last) >= usesUntil
	})
	l.users = slices.Insert(l.users[:min(len(l.users), maxUsers-1)], 0, laneUser{by, node, now})
	l.node = &node
}

// distance is the number of companies that have used the lane since this one did. For a company
// that is not a user it is the number of users. It is maxUsers if the lane has no room for
// another user, or has users of another node.
func (l *lane) distance(to company.Code, node string, now time.Time) int {
	if i := l.indexOf(to, node); i >= 0 {
		return i
	}
	if l.isElsewhere(node) {
		return maxUsers
	}
	l.users = slices.DeleteFunc(l.users, func(u laneUser) bool { return now.Sub(u.last) >= usesUntil })
	return len(l.users)
}

// isTo reports whether the lane has a connection to the node, as far as is known.
func (l *lane) isTo(node string) bool { return l.node != nil && *l.node == node }

// isElsewhere reports whether the lane has a connection to another node, which would be replaced.
func (l *lane) isElsewhere(node string) bool { return l.node != nil && *l.node != node }

// isUser reports whether the company uses the lane.
func (l *lane) isUser(c company.Code, node string) bool { return l.indexOf(c, node) >= 0 }

func (l *lane) indexOf(c company.Code, node string) int {
	return slices.IndexFunc(l.users, func(u laneUser) bool { return u.company == c && u.node == node })
}

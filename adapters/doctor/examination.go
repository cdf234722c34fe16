package doctor

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// State is what a check ends with. The values are written for scripts.
type State string

// The states.
const (
	OK   State = "ok"
	Warn State = "warn" // it works, and could be better
	Fail State = "fail" // it does not work, or will not
)

// Finding is what a check found, and what to do about it; nothing if all is
// well. Its field names are written for scripts.
type Finding struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Found string `json:"found"`
	Hint  string `json:"hint"`
}

func fine(found string, args ...any) Finding {
	return Finding{State: OK, Found: fmt.Sprintf(found, args...)}
}

func (f Finding) mend(state State, mend string, args ...any) Finding {
	f.State, f.Hint = state, fmt.Sprintf(mend, args...)
	return f
}

// Owner says whose database it is.
type Owner uint8

// The owners.
const (
	Operator Owner = iota // it has a URL
	Kontor                // the private one of the data folder
)

// Settings are what a service on the database is told.
type Settings struct {
	DatabaseURL      string
	MaxConnections   int
	TimeZone         string
	LockTimeout      time.Duration
	StatementTimeout time.Duration
	RequestTimeout   time.Duration
}

// Examination looks at a database without changing anything: the database itself
// refuses to write for it.
type Examination struct {
	settings Settings
	owner    Owner
	pool     *pgxpool.Pool
	local    bool // no network lies between
	plain    bool // if the database does not encrypt, the connection is made all the same
	trip     time.Duration
}

// The limits of an examination, where a database is in trouble or far away.
const (
	connectWithin = 5 * time.Second
	answerWithin  = 5 * time.Second
)

// Examine connects to the database of the settings. An error is one of the
// connection.
func Examine(ctx context.Context, s Settings, owner Owner) (*Examination, error) {
	config, err := pgxpool.ParseConfig(s.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	config.MaxConns = 1
	conn := config.ConnConfig
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = connectWithin
	}
	conn.RuntimeParams["application_name"] = "kontor doctor"
	conn.RuntimeParams["default_transaction_read_only"] = "on"
	conn.RuntimeParams["statement_timeout"] = fmt.Sprint(answerWithin.Milliseconds())
	e := &Examination{settings: s, owner: owner, local: isLocal(conn.Host), plain: conn.TLSConfig == nil}
	for _, f := range conn.Fallbacks {
		e.plain = e.plain || f.TLSConfig == nil
	}
	if e.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("make the connection pool: %w", err)
	}
	if err := e.measure(ctx); err != nil {
		e.pool.Close()
		return nil, err
	}
	return e, nil
}

// Close ends the connection.
func (e *Examination) Close() { e.pool.Close() }

// measure connects, and times round trips: the shortest of a few counts.
func (e *Examination) measure(ctx context.Context) error {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer conn.Release()
	for range 3 {
		start := time.Now()
		if err := conn.Ping(ctx); err != nil {
			return fmt.Errorf("ask the database: %w", err)
		}
		if trip := time.Since(start); e.trip == 0 || trip < e.trip {
			e.trip = trip
		}
	}
	return nil
}

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return strings.HasPrefix(host, "/") || host == "localhost" || ip != nil && ip.IsLoopback()
}

// Findings are those of all checks in their order. Without all migrations, the
// checks that need them are left out.
func (e *Examination) Findings(ctx context.Context) []Finding {
	var all []Finding
	migrated := true
	for _, c := range checks {
		if c.migrated && !migrated {
			continue
		}
		f, err := c.run(e, ctx)
		if err != nil {
			f = Finding{State: Fail, Found: "cannot be checked: " + err.Error(), Hint: "see what the log of PostgreSQL says about it"}
		}
		f.Name = c.name
		migrated = migrated && (f.Name != migrationsCheck || f.State != Fail)
		all = append(all, f)
	}
	return all
}

const migrationsCheck = "migrations"

// checks are all of them, in the order in which they are best mended.
var checks = []struct {
	name     string
	migrated bool // it reads the tables
	run      func(*Examination, context.Context) (Finding, error)
}{
	{name: "database", run: (*Examination).reach},
	{name: "encryption", run: (*Examination).encryption},
	{name: "version", run: (*Examination).version},
	{name: "encoding", run: (*Examination).encoding},
	{name: "letters", run: (*Examination).letters},
	{name: "pg_trgm", run: (*Examination).trigrams},
	{name: migrationsCheck, run: (*Examination).migrations},
	{name: "time zone", migrated: true, run: (*Examination).zone},
	{name: "clock", run: (*Examination).clock},
	{name: "connections", run: (*Examination).connections},
	{name: "timeouts", run: (*Examination).timeouts},
	{name: "read models", migrated: true, run: (*Examination).readModels},
	{name: "backlog", migrated: true, run: (*Examination).backlog},
	{name: "admin", migrated: true, run: (*Examination).admin},
}

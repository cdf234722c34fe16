package doctor

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/application/rule"
)

// State is the result of a check. The values are part of the output for scripts.
type State string

// The states.
const (
	OK   State = "ok"
	Warn State = "warn" // it works, but could be better
	Fail State = "fail" // it does not work, or soon will not
)

// Finding is the result of a check, with the remedy in Hint, which is empty if there is
// no problem. The names of the fields are part of the output for scripts.
type Finding struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Found string `json:"found"`
	Hint  string `json:"hint"`
}

func fine(found string, args ...any) Finding {
	return Finding{State: OK, Found: fmt.Sprintf(found, args...)}
}

func (f Finding) hint(state State, hint string, args ...any) Finding {
	f.State, f.Hint = state, fmt.Sprintf(hint, args...)
	return f
}

// Owner is the user that runs the database.
type Owner uint8

// The owners.
const (
	Operator Owner = iota // the settings have a URL
	Kontor                // the private PostgreSQL of the data directory
)

// Settings are those of the service on the database.
type Settings struct {
	DatabaseURL      string
	PoolerURL        string   // of requests; empty: none
	Replicas         []string // their URLs
	CitusDirect      bool     // requests go to the workers of Citus directly
	MaxConnections   int
	TimeZone         string
	LockTimeout      time.Duration
	StatementTimeout time.Duration
	RequestTimeout   time.Duration
	Rules            *rule.Registry // those of the program
}

// Examination checks a database over a read-only connection.
type Examination struct {
	settings Settings
	owner    Owner
	pool     *pgxpool.Pool
	local    bool          // on this machine
	plain    bool          // an unencrypted connection is accepted
	trip     time.Duration // the shortest round trip

	hasCompanies bool
	isDirect     bool // requests go to workers of Citus
}

// The timeouts of an examination.
const (
	connectTimeout   = 5 * time.Second
	statementTimeout = 5 * time.Second
)

// Examine connects to the database of the settings. Errors are those of the
// connection.
func Examine(ctx context.Context, s Settings, owner Owner) (*Examination, error) {
	config, err := pgxpool.ParseConfig(s.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	config.MaxConns = 1
	conn := config.ConnConfig
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = connectTimeout
	}
	conn.RuntimeParams["application_name"] = "kontor doctor"
	conn.RuntimeParams["default_transaction_read_only"] = "on"
	conn.RuntimeParams["statement_timeout"] = fmt.Sprint(statementTimeout.Milliseconds())
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

// Close closes the connection.
func (e *Examination) Close() { e.pool.Close() }

func (e *Examination) measure(ctx context.Context) error {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer conn.Release()
	for range 3 {
		start := time.Now()
		if err := conn.Ping(ctx); err != nil {
			return fmt.Errorf("ping the database: %w", err)
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

// Findings runs all checks in their order. If migrations are missing, the checks that
// need them are skipped.
func (e *Examination) Findings(ctx context.Context) []Finding {
	var all []Finding
	migrated := true
	for _, c := range checks {
		if c.migrated && !migrated {
			continue
		}
		f, err := c.run(e, ctx)
		if err != nil {
			f = Finding{State: Fail, Found: "the check failed: " + err.Error(), Hint: "see the log of PostgreSQL"}
		}
		if f == (Finding{}) {
			continue
		}
		f.Name = c.name
		migrated = migrated && (f.Name != migrationsCheck || f.State != Fail)
		all = append(all, f)
	}
	return append(all, e.replicas(ctx)...)
}

const migrationsCheck = "migrations"

// checks are in the order in which problems are best fixed.
var checks = []struct {
	name     string
	migrated bool // it reads tables of the schema
	run      func(*Examination, context.Context) (Finding, error)
}{
	{name: "database", run: (*Examination).reach},
	{name: "encryption", run: (*Examination).encryption},
	{name: "version", run: (*Examination).version},
	{name: "encoding", run: (*Examination).encoding},
	{name: "letters", run: (*Examination).letters},
	{name: "pg_trgm", run: (*Examination).trigrams},
	{name: migrationsCheck, run: (*Examination).migrations},
	{name: "companies", run: (*Examination).companies},
	{name: "workers", run: (*Examination).workers},
	{name: "time zone", migrated: true, run: (*Examination).zone},
	{name: "clock", run: (*Examination).clock},
	{name: "session", run: (*Examination).session},
	{name: "pooler", run: (*Examination).pooler},
	{name: "connections", run: (*Examination).connections},
	{name: "timeouts", run: (*Examination).timeouts},
	{name: "read models", migrated: true, run: (*Examination).readModels},
	{name: "backlog", migrated: true, run: (*Examination).backlog},
	{name: "admin", migrated: true, run: (*Examination).admin},
	{name: "rules", migrated: true, run: (*Examination).rules},
}

// Package doctor contains the checks of kontor doctor: they read the database of a
// service without changing it, and each finding has a remedy.
package doctor

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/application/command"
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

// Settings are those of the service on the database.
type Settings struct {
	DatabaseURL    string
	IsPrivate      bool // the database is the private PostgreSQL of the data directory
	MaxConnections int
	TimeZone       string
	IsCompany      bool // of a company other than the default one; otherwise the rules of all companies are checked
	// BrokenRules returns the typed rules that cannot be compiled, of the company of the connection's search path.
	BrokenRules func(ctx context.Context, conn *pgx.Conn) ([]command.BrokenRule, error)
}

type examination struct {
	settings Settings
	conn     *pgx.Conn
	lost     []string // workers of Citus, host:port, that cannot be reached
}

// timeout is that of the connection and of each statement.
const timeout = 5 * time.Second

// Examine connects to the database of the settings and runs all checks in their order, except
// those that need missing migrations. Only a failed connection is an error.
func Examine(ctx context.Context, s Settings) ([]Finding, error) {
	e := &examination{settings: s}
	if err := e.connect(ctx); err != nil {
		return nil, err
	}
	defer func() { _ = e.conn.Close(context.WithoutCancel(ctx)) }()
	var all []Finding
	isMigrated := true
	for _, c := range checks {
		if c.needsTables && !isMigrated {
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
		isMigrated = isMigrated && (f.Name != migrationsCheck || f.State != Fail)
		all = append(all, f)
	}
	return all, nil
}

// connect opens a connection that cannot write.
func (e *examination) connect(ctx context.Context) error {
	config, err := pgx.ParseConfig(e.settings.DatabaseURL)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = timeout
	}
	config.RuntimeParams["application_name"] = "kontor doctor"
	config.RuntimeParams["default_transaction_read_only"] = "on"
	config.RuntimeParams["statement_timeout"] = fmt.Sprint(timeout.Milliseconds())
	if e.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	return nil
}

func (e *examination) query(ctx context.Context, sql string, into ...any) error {
	return e.conn.QueryRow(ctx, sql).Scan(into...)
}

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return strings.HasPrefix(host, "/") || host == "localhost" || ip != nil && ip.IsLoopback()
}

const migrationsCheck = "migrations"

// checks are in the order in which problems are best fixed.
var checks = []struct {
	name        string
	needsTables bool
	run         func(*examination, context.Context) (Finding, error)
}{
	{name: "database", run: (*examination).connection},
	{name: "version", run: (*examination).version},
	{name: "locale", run: (*examination).locale},
	{name: "pg_trgm", run: (*examination).trigrams},
	{name: migrationsCheck, run: (*examination).migrations},
	{name: "workers", run: (*examination).workers},
	{name: "companies", run: (*examination).companies},
	{name: "time zone", needsTables: true, run: (*examination).zone},
	{name: "clock", run: (*examination).clock},
	{name: "connections", run: (*examination).connections},
	{name: "read models", needsTables: true, run: (*examination).readModels},
	{name: "rules", needsTables: true, run: (*examination).rules},
	{name: "admin", needsTables: true, run: (*examination).admin},
}

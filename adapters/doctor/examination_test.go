package doctor

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// environment is a healthy database with matching settings.
type environment struct {
	t        *testing.T
	settings Settings
	pool     *pgxpool.Pool
}

// defaults are the default settings of a service.
func defaults(databaseURL string) Settings {
	return Settings{
		DatabaseURL: databaseURL, MaxConnections: 16, TimeZone: "UTC",
		LockTimeout: 5 * time.Second, StatementTimeout: 10 * time.Second, RequestTimeout: 30 * time.Second, Rules: rules(),
	}
}

// rules are those of a program with one rule.
func rules() *rule.Registry {
	r, err := rule.NewRegistry(nil, nil, rule.Deals.Rules(rule.DealStaysWithManager{}))
	if err != nil {
		panic(err)
	}
	return r
}

// storedRule inserts a rule of the source.
func storedRule(name, source, expression string) string {
	return "insert into rules (name, resource, operations, expression, message, mode, source, created_at, updated_at) values ('" +
		name + "', 'deal', 7, " + expression + ", " + expression + ", 'off', '" + source + "', now(), now())"
}

func healthy(t *testing.T) *environment {
	t.Helper()
	p := &environment{t: t, settings: defaults(pgtest.URL(t))}
	p.pool = pgtest.Pool(t, p.settings.DatabaseURL)
	if err := postgres.RecordZone(t.Context(), p.settings.DatabaseURL, p.settings.TimeZone); err != nil {
		t.Fatal(err)
	}
	p.execute(`
insert into users (id, username, username_key, name, name_key, role, created_at, updated_at)
values (4711, 'ann', 'ann', 'ann', 'ann', 'admin', now(), now())`)
	p.execute("insert into tokens (user_id, public_id, secret_hash, created_at) values (4711, 'a', decode(repeat('00', 32), 'hex'), now())")
	return p
}

func (p *environment) execute(sql string) {
	p.t.Helper()
	if _, err := p.pool.Exec(p.t.Context(), sql); err != nil {
		p.t.Fatal(err)
	}
}

// afterwards executes a statement at the end of the test.
func (p *environment) afterwards(sql string) {
	p.t.Cleanup(func() {
		if _, err := p.pool.Exec(context.WithoutCancel(p.t.Context()), sql); err != nil {
			p.t.Error(err)
		}
	})
}

func (p *environment) examine(owner Owner) *Examination {
	p.t.Helper()
	e, err := Examine(p.t.Context(), p.settings, owner)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(e.Close)
	return e
}

// contract 1.68
func TestHealthyDatabaseNeedsNoFix(t *testing.T) {
	t.Parallel()
	e := healthy(t).examine(Kontor)
	e.local = true // wherever the server of the tests is
	var names []string
	for _, f := range e.Findings(t.Context()) {
		names = append(names, f.Name)
		if f.State != OK || f.Found == "" || f.Hint != "" {
			t.Errorf("%s: %s, %s -> %s", f.Name, f.State, f.Found, f.Hint)
		}
	}
	if got, want := strings.Join(names, ", "), "database, encryption, version, encoding, letters, pg_trgm, migrations, time zone, clock, "+
		"session, pooler, connections, timeouts, read models, backlog, admin, rules"; got != want {
		t.Errorf("checked are %s; want %s", got, want)
	}
}

// contract 1.68, 12.14
func TestProblemIsFoundWithAHint(t *testing.T) {
	t.Parallel()
	changed := func(sql string) func(*environment) { return func(p *environment) { p.execute(sql) } }
	for name, c := range map[string]struct {
		spoil       func(*environment)
		check       string
		state       State
		found, hint string
	}{
		"a migration is missing": {
			changed("delete from schema_migrations where version_id = 1"),
			"migrations", Fail, "are missing: 1", "kontor migrate up",
		},
		"no migration was applied": {
			func(p *environment) { p.settings.DatabaseURL = pgtest.EmptyURL(p.t) },
			"migrations", Fail, "are missing: 1", "kontor migrate up",
		},
		"a newer Kontor has migrated": {
			changed("insert into schema_migrations (version_id, is_applied) values (4711, true)"),
			"migrations", Fail, "does not know: 4711", "use the newer Kontor",
		},
		"another time zone": {
			func(p *environment) { p.settings.TimeZone = "Asia/Tokyo" },
			"time zone", Fail, "has UTC, and the setting is Asia/Tokyo", "kontor timezone set Asia/Tokyo",
		},
		"no time zone": {
			changed("delete from settings"),
			"time zone", Warn, "has none yet", "KONTOR_TIMEZONE",
		},
		"more connections than the server has": {
			func(p *environment) { p.settings.MaxConnections = 5000 },
			"connections", Fail, "up to 5004", "lower KONTOR_MAX_CONNECTIONS",
		},
		"a limit of the database": {
			func(p *environment) { p.limitConnections(9) },
			"connections", Fail, "PostgreSQL allows 9", "KONTOR_MAX_CONNECTIONS to 5 or less",
		},
		"a limit below what a service needs beside its pooler": {
			func(p *environment) {
				p.settings.PoolerURL = p.settings.DatabaseURL
				p.limitConnections(3)
			},
			"connections", Fail, "up to 4, PostgreSQL allows 3", "raise max_connections",
		},
		"a limit below what a service needs": {
			func(p *environment) { p.limitConnections(2) },
			"connections", Fail, "PostgreSQL allows 2", "raise max_connections",
		},
		"others need the connections": {
			func(p *environment) {
				p.limitConnections(20)
				p.holdConnection()
			},
			"connections", Warn, "others use", "some requests get none",
		},
		"others need the connections beside the pooler": {
			func(p *environment) {
				p.settings.PoolerURL = p.settings.DatabaseURL
				p.limitConnections(4)
				p.holdConnection()
			},
			"connections", Warn, "others use", "the workers get none",
		},
		"a statement timeout above the request timeout": {
			func(p *environment) { p.settings.StatementTimeout = p.settings.RequestTimeout },
			"timeouts", Fail, "statement timeout 30s", "KONTOR_STATEMENT_TIMEOUT below",
		},
		"a lock timeout above the statement timeout": {
			func(p *environment) { p.settings.LockTimeout = p.settings.StatementTimeout },
			"timeouts", Warn, "lock timeout 10s", "KONTOR_LOCK_TIMEOUT below",
		},
		"models of lists are not ready":  {changed("update read_model_state set lists_ready = false"), "read models", Warn, "the read models of lists", "readmodel rebuild"},
		"models of search are not ready": {changed("update read_model_state set search_ready = false"), "read models", Warn, "the read models of searches", "readmodel rebuild"},
		"no models are ready":            {changed("update read_model_state set lists_ready = false, search_ready = false"), "read models", Warn, "neither", "readmodel rebuild"},
		"many batches are open": {
			changed("insert into change_batches (id) select 1000 + i from generate_series(1, 70) i"),
			"backlog", Warn, "open batches: 71", "kontor serve runs",
		},
		"many changes are not folded": {
			changed(`
insert into client_changes (batch_id, writer_version, delta, id, created_at, text_key, user_id, type)
select (select max(id) from change_batches), 1, 1, i, now(), '', 1, 1
from generate_series(1, 100001) i`),
			"backlog", Warn, "100001 changes", "kontor serve runs",
		},
		"no admin":         {changed("update users set role = 'manager'"), "admin", Fail, "no enabled user is an admin", "kontor user add"},
		"a disabled admin": {changed("update users set disabled = true"), "admin", Fail, "no enabled user is an admin", "kontor user enable"},
		"no token":         {changed("delete from tokens"), "admin", Warn, "1, none of them with a valid token", "kontor token issue"},
		"a revoked token":  {changed("update tokens set revoked_at = now()"), "admin", Warn, "none of them with a valid token", "kontor token issue"},
		"an expired token": {
			changed("update tokens set created_at = now() - interval '2 days', expires_at = now() - interval '1 day'"),
			"admin", Warn, "none of them with a valid token", "kontor token issue",
		},
		"a rule that the program does not contain": {
			changed(storedRule("pays-late", "program", "null")), "rules", Warn, "does not apply those it lacks: pays-late", "DELETE /rest/rule",
		},
		"a typed rule with the name of a compiled one": {
			changed(storedRule("deal-stays-with-manager", "typed", "'true'")), "rules", Fail, "deal-stays-with-manager", "PATCH /rest/rule",
		},
		"an encoding without most letters": {
			func(p *environment) {
				p.settings.DatabaseURL = another(p, "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'")
			},
			"encoding", Fail, "SQL_ASCII", "encoding 'UTF8'",
		},
		"a locale without most letters": {
			func(p *environment) {
				p.settings.DatabaseURL = another(p, "encoding 'UTF8' lc_collate 'C' lc_ctype 'C'")
			},
			"letters", Warn, "LC_CTYPE is C", "lc_ctype 'C.UTF-8'",
		},
		"a user who may not create the extension": {
			func(p *environment) { p.settings.DatabaseURL = asNobody(p.t, pgtest.EmptyURL(p.t)) },
			"pg_trgm", Fail, "may not create it", "create extension pg_trgm",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := healthy(t)
			c.spoil(p)
			findings := p.examine(Operator).Findings(t.Context())
			var all []string
			for _, f := range findings {
				all = append(all, fmt.Sprint(f))
				if f.Name == c.check && f.State == c.state && strings.Contains(f.Found, c.found) && strings.Contains(f.Hint, c.hint) {
					return
				}
			}
			t.Errorf("found is\n%s\nwant %s of %s, with %q and %q", strings.Join(all, "\n"), c.state, c.check, c.found, c.hint)
		})
	}
}

func (p *environment) limitConnections(to int) {
	p.t.Helper()
	p.execute(fmt.Sprintf("alter database %s connection limit %d", p.pool.Config().ConnConfig.Database, to))
}

// holdConnection takes a connection that is not the service's.
func (p *environment) holdConnection() {
	p.t.Helper()
	conn, err := p.pool.Acquire(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(conn.Release)
}

// another is the URL of another database on the environment's server.
func another(p *environment, options string) string {
	p.t.Helper()
	name := p.pool.Config().ConnConfig.Database + "_other"
	p.execute("create database " + name + " template template0 " + options)
	p.afterwards("drop database " + name)
	u := parsed(p.t, p.settings.DatabaseURL)
	u.Path = "/" + name
	return u.String()
}

// asNobody is the URL for a role that every server has, and that may create nothing.
func asNobody(t *testing.T, of string) string {
	t.Helper()
	u := parsed(t, of)
	query := u.Query()
	query.Set("options", "-c role=pg_monitor")
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	return u.String()
}

func parsed(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestEmptyDatabaseIsNotQueriedForTables(t *testing.T) {
	t.Parallel()
	p := &environment{t: t, settings: defaults(pgtest.EmptyURL(t))}
	for _, f := range p.examine(Operator).Findings(t.Context()) {
		if f.State == Fail && f.Name != "migrations" || strings.Contains(f.Found, "the check failed") {
			t.Errorf("%s: %s, %s", f.Name, f.State, f.Found)
		}
	}
}

func TestClockVersionAndHostRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		got  Finding
		want State
	}{
		"a correct clock":             {skew(1900 * time.Millisecond), OK},
		"a clock that is fast":        {skew(2100 * time.Millisecond), Warn},
		"a clock that is slow":        {skew(-2100 * time.Millisecond), Warn},
		"an unsupported version":      {supported("12.20", 12), Fail},
		"an untested version":         {supported("14.12", 14), Warn},
		"the oldest version of tests": {supported("15.1", 15), OK},
		"a future version":            {supported("19.1", 19), OK},
	} {
		if c.got.State != c.want || (c.got.Hint == "") != (c.want == OK) {
			t.Errorf("%s: %v, want %s", name, c.got, c.want)
		}
	}
	for host, want := range map[string]bool{
		"/run/postgresql": true, "localhost": true, "127.0.0.1": true, "::1": true, "10.0.0.7": false, "db.example.org": false,
	} {
		if got := isLocal(host); got != want {
			t.Errorf("%s is on this machine: %v, want %v", host, got, want)
		}
	}
}

func TestRemoteDatabaseIsWarnedOf(t *testing.T) {
	t.Parallel()
	e := healthy(t).examine(Operator)
	e.local, e.trip = false, 50*time.Millisecond // as over a network
	states := map[string]Finding{}
	for _, f := range e.Findings(t.Context()) {
		states[f.Name] = f
	}
	if f := states["database"]; f.State != Warn || !strings.Contains(f.Found, "50ms") {
		t.Errorf("a long round trip: %v", f)
	}
	if f := states["encryption"]; f.State != Warn || !strings.Contains(f.Found, "unencrypted") || !strings.Contains(f.Hint, "sslmode=verify-full") {
		t.Errorf("an unencrypted connection: %v", f)
	}
}

// contract 1.68
func TestExaminationCannotWrite(t *testing.T) {
	t.Parallel()
	e := healthy(t).examine(Operator)
	_, err := e.pool.Exec(t.Context(), "delete from tokens")
	if SQLState(err) != "25006" {
		t.Errorf("a change ends with %v, want a rejection as the transaction is read only", err)
	}
}

func TestUnreachableDatabaseCannotBeExamined(t *testing.T) {
	t.Parallel()
	if _, err := Examine(t.Context(), defaults("postgres://127.0.0.1:1/nowhere"), Operator); err == nil {
		t.Error("a database that does not run is examined")
	}
}

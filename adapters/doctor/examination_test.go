package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/postgres/pgtenant"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
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
		BrokenRules: func(ctx context.Context, conn *pgx.Conn) ([]command.BrokenRule, error) {
			stored, err := pgstore.ReadRules(ctx, conn)
			return command.BrokenRules(refusing{}, stored.Rules), err
		},
	}
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

func (p *environment) examine() []Finding {
	p.t.Helper()
	findings, err := Examine(p.t.Context(), p.settings)
	if err != nil {
		p.t.Fatal(err)
	}
	return findings
}

// refusing is a compiler of no rule.
type refusing struct{ rule.Compiler }

func (refusing) Compile(ruledef.State) (rule.Expression, error) {
	return nil, fault.ForField(fault.Invalid, "expression", "is wrong")
}

func brokenRule(mode string) string {
	return `
insert into rules (name, resource, operations, expression, message, mode, source, created_at, updated_at)
values ('broken', 'deal', 1, 'after.nam == ""', 'x', '` + mode + `', 'typed', now(), now())`
}

// contract 1.68
func TestHealthyDatabaseNeedsNoFix(t *testing.T) {
	t.Parallel()
	p := healthy(t)
	p.settings.IsPrivate = true // whatever the locale of the server of the tests is
	var names []string
	for _, f := range p.examine() {
		names = append(names, f.Name)
		if f.Name == "database" && !isLocal(p.pool.Config().ConnConfig.Host) {
			continue
		}
		if f.State != OK || f.Found == "" || f.Hint != "" {
			t.Errorf("%s: %s, %s -> %s", f.Name, f.State, f.Found, f.Hint)
		}
	}
	if got, want := strings.Join(names, ", "), "database, version, locale, pg_trgm, migrations, time zone, clock, connections, read models, rules, admin"; got != want {
		t.Errorf("checked are %s; want %s", got, want)
	}
}

// contract 1.68
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
			"connections", Fail, "PostgreSQL allows 9", "lower KONTOR_MAX_CONNECTIONS",
		},
		"models are not ready": {changed("update read_model_state set is_ready = false"), "read models", Warn, "are not ready", "readmodel rebuild"},
		"a rule that does not compile": {
			changed(brokenRule("enforce")), "rules", Fail, "1 cannot be compiled: broken, on the resource deal, in the mode enforce: expression is wrong",
			"kontor rule mode NAME off",
		},
		"a rule that does not compile and is off": {changed(brokenRule("off")), "rules", Warn, "1 cannot be compiled: broken", "delete them"},
		"no admin":         {changed("update users set role = 'manager'"), "admin", Fail, "0 enabled", "kontor user add"},
		"a disabled admin": {changed("update users set disabled = true"), "admin", Fail, "0 enabled", "kontor user enable"},
		"no token":         {changed("delete from tokens"), "admin", Warn, "1 enabled, 0 of them with a valid token", "kontor token issue"},
		"a revoked token":  {changed("update tokens set revoked_at = now()"), "admin", Warn, "1 enabled, 0 of them with a valid token", "kontor token issue"},
		"an expired token": {
			changed("update tokens set created_at = now() - interval '2 days', expires_at = now() - interval '1 day'"),
			"admin", Warn, "1 enabled, 0 of them with a valid token", "kontor token issue",
		},
		"an encoding without most letters": {
			func(p *environment) {
				p.settings.DatabaseURL = another(p, "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'")
			},
			"locale", Fail, "SQL_ASCII", "encoding 'UTF8'",
		},
		"a locale without most letters": {
			func(p *environment) {
				p.settings.DatabaseURL = another(p, "encoding 'UTF8' lc_collate 'C' lc_ctype 'C'")
			},
			"locale", Warn, "LC_CTYPE C", "lc_ctype 'C.UTF-8'",
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
			findings := p.examine()
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
	for _, f := range p.examine() {
		if f.State == Fail && f.Name != "migrations" || strings.Contains(f.Found, "the check failed") {
			t.Errorf("%s: %s, %s", f.Name, f.State, f.Found)
		}
	}
}

// contract 1.68
func TestWorkersThatDoNotRespondAreNamed(t *testing.T) {
	t.Parallel()
	const dead = "the worker 10.0.0.33:5432 does not respond"
	for name, c := range map[string]struct {
		workers     []pgtenant.Worker
		state       State
		found, hint string
	}{
		"all respond":       {[]pgtenant.Worker{{Node: "10.0.0.32:5432", Group: 31}}, OK, "1, all respond", ""},
		"one does not":      {[]pgtenant.Worker{{Group: 32}, {Problem: dead}}, Fail, "1 of 2 cannot be reached: the worker 10.0.0.33:5432 does not respond", "start"},
		"ids that are long": {[]pgtenant.Worker{{Node: "10.0.0.32:5432", Group: 32}, {Group: 1}}, Warn, "ids of records on 10.0.0.32:5432 exceed 2^53", "JavaScript"},
	} {
		f := workersFinding(c.workers)
		if f.State != c.state || !strings.Contains(f.Found, c.found) || !strings.Contains(f.Hint, c.hint) || (f.Hint == "") != (c.hint == "") {
			t.Errorf("%s: %v", name, f)
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

func TestConnectionOverTheNetworkHasTLS(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]State{
		"postgres://kontor@localhost/kontor":                          OK,
		"postgres://kontor@db.example.org/kontor":                     Warn,
		"postgres://kontor@db.example.org/kontor?sslmode=disable":     Warn,
		"postgres://kontor@db.example.org/kontor?sslmode=require":     OK,
		"postgres://kontor@db.example.org/kontor?sslmode=verify-full": OK,
	} {
		config, err := pgx.ParseConfig(address)
		if err != nil {
			t.Fatal(err)
		}
		if f := connectionOf(config); f.State != want || (f.Hint == "") != (want == OK) {
			t.Errorf("%s: %v, want %s", address, f, want)
		}
	}
}

// contract 1.68
func TestExaminationCannotWrite(t *testing.T) {
	t.Parallel()
	e := examination{settings: defaults(pgtest.URL(t))}
	if err := e.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer e.conn.Close(context.WithoutCancel(t.Context()))
	_, err := e.conn.Exec(t.Context(), "delete from tokens")
	if rejected, ok := errors.AsType[*pgconn.PgError](err); !ok || rejected.Code != "25006" {
		t.Errorf("a change ends with %v, want a rejection as the transaction is read only", err)
	}
}

func TestUnreachableDatabaseCannotBeExamined(t *testing.T) {
	t.Parallel()
	if _, err := Examine(t.Context(), defaults("postgres://127.0.0.1:1/nowhere")); err == nil {
		t.Error("a database that does not run is examined")
	}
}

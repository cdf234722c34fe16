package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgtenant"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/migrations"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// The thresholds of problems.
const (
	maxClockSkew   = 2 * time.Second
	minimumVersion = 13 // before, only a superuser can create pg_trgm
	testedVersion  = 15 // the oldest that tests use
	besides        = 4  // connections of a service besides those for requests: for upkeep, and for /readyz
)

func (e *examination) connection(context.Context) (Finding, error) {
	return connectionOf(e.conn.Config()), nil
}

// connectionOf warns of a connection over the network that may be without TLS.
func connectionOf(config *pgx.ConnConfig) Finding {
	f := fine("%s at %s", config.Database, config.Host)
	isEncrypted := config.TLSConfig != nil
	for _, other := range config.Fallbacks {
		isEncrypted = isEncrypted && other.TLSConfig != nil
	}
	if !isEncrypted && !isLocal(config.Host) {
		f.Found += ", without TLS, or with TLS only if the server offers it"
		return f.hint(Warn, "add sslmode=verify-full to KONTOR_DATABASE_URL, and sslrootcert if you have your own certificate authority")
	}
	return f
}

func (e *examination) version(ctx context.Context) (Finding, error) {
	var version string
	var number int
	err := e.query(ctx, "select current_setting('server_version'), current_setting('server_version_num')::int", &version, &number)
	return supported(version, number/10_000), err
}

func supported(version string, major int) Finding {
	f := fine("PostgreSQL %s", version)
	switch {
	case major < minimumVersion:
		return f.hint(Fail, "upgrade PostgreSQL to %d or later", testedVersion)
	case major < testedVersion:
		return f.hint(Warn, "upgrade PostgreSQL: Kontor is tested with %d", testedVersion)
	}
	return f
}

func (e *examination) locale(ctx context.Context) (Finding, error) {
	var encoding, locale string
	err := e.query(ctx, `
select current_setting('server_encoding'), datctype
from pg_database
where datname = current_database()`, &encoding, &locale)
	f := fine("encoding %s, LC_CTYPE %s", encoding, locale)
	const recreate = "recreate the database: create database ... encoding 'UTF8' lc_ctype 'C.UTF-8' template template0"
	switch {
	case err != nil:
		return f, err
	case encoding != "UTF8":
		return f.hint(Fail, recreate), nil
	case locale != "C" && locale != "POSIX":
		return f, nil
	}
	f.Found += ": searches for non-Latin text are slow"
	if e.settings.IsPrivate { // the system has no other locale
		return f, nil
	}
	return f.hint(Warn, "if there are many, "+recreate), nil
}

func (e *examination) trigrams(ctx context.Context) (Finding, error) {
	var installed, available, allowed bool
	err := e.query(ctx, `
select
    exists (select from pg_extension where extname = 'pg_trgm'),
    exists (select from pg_available_extensions where name = 'pg_trgm'),
    has_database_privilege(current_database(), 'create')`, &installed, &available, &allowed)
	switch {
	case err != nil:
		return Finding{}, err
	case installed:
		return fine("the extension is installed"), nil
	case !available:
		return fine("the extension is not available on the server").
			hint(Fail, "install it; on some systems it is in the package postgresql-contrib"), nil
	case !allowed:
		return fine("the extension is not installed, and this user may not create it").
			hint(Fail, "as the owner of the database: create extension pg_trgm"), nil
	}
	return fine("the migrations can create the extension"), nil
}

func (e *examination) migrations(ctx context.Context) (Finding, error) {
	var exists bool
	if err := e.query(ctx, "select to_regclass('schema_migrations') is not null", &exists); err != nil {
		return Finding{}, err
	}
	var applied []int64
	if exists {
		rows, err := e.conn.Query(ctx, "select version_id from schema_migrations where is_applied and version_id > 0 order by version_id")
		if err != nil {
			return Finding{}, err
		}
		if applied, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			return Finding{}, err
		}
	}
	var missing []int64
	for number := range postgres.Version {
		if !slices.Contains(applied, number+1) {
			missing = append(missing, number+1)
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(applied), func(number int64) bool { return number <= postgres.Version })
	switch {
	case len(unknown) > 0:
		return fine("the database has migrations that this program does not know: %s", listOf(unknown)).
			hint(Fail, "use the newer Kontor that migrated it, or roll them back with that one: kontor migrate down"), nil
	case len(missing) > 0:
		return fine("%d of %d are missing: %s", len(missing), postgres.Version, listOf(missing)).
			hint(Fail, "kontor migrate up; kontor serve does it too, unless --migrate=false"), nil
	}
	err := postgres.CheckUnedited(ctx, e.conn, migrations.FS)
	if edited, ok := errors.AsType[postgres.EditedMigration](err); ok {
		return fine("%s was edited after the database had applied it", edited.Name).
			hint(Fail, "use the program that applied it, or a database that this program has migrated from the start"), nil
	}
	if err != nil {
		return Finding{}, err
	}
	return fine("all %d are applied", postgres.Version), nil
}

func listOf(numbers []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

// unsafeGroup is the first node group of Citus whose ids of records, from 2^48 times the group on, exceed 2^53.
const unsafeGroup = 32

// workers tries to connect to the workers of Citus. Without Citus it has no finding.
func (e *examination) workers(ctx context.Context) (Finding, error) {
	all, err := pgtenant.CheckWorkers(ctx, e.conn, e.settings.DatabaseURL)
	if err != nil || len(all) == 0 {
		return Finding{}, err
	}
	for _, w := range all {
		if w.Problem != "" {
			e.lost = append(e.lost, w.Node)
		}
	}
	return workersFinding(all), nil
}

func workersFinding(all []pgtenant.Worker) Finding {
	var problems, unsafe []string
	for _, w := range all {
		if w.Problem != "" {
			problems = append(problems, w.Problem)
		}
		if w.Group >= unsafeGroup {
			unsafe = append(unsafe, w.Node)
		}
	}
	switch {
	case len(problems) > 0:
		return fine("%d of %d cannot be reached: %s", len(problems), len(all), strings.Join(problems, "; ")).
			hint(Fail, "start them: requests for their companies get a 503, and kontor company add and remove fail for all companies")
	case len(unsafe) > 0:
		return fine("%d, all respond; ids of records on %s exceed 2^53", len(all), strings.Join(unsafe, ", ")).
			hint(Warn, "programs must not read ids as floating-point numbers, as JavaScript does by default")
	}
	return fine("%d, all respond", len(all))
}

// companies finds companies that are not complete, or not migrated. Without companies it has
// no finding.
func (e *examination) companies(ctx context.Context) (Finding, error) {
	l, err := pgtenant.NewCatalogue(e.conn).List(ctx)
	if err != nil || len(l.Tenants) == 0 {
		return Finding{}, err
	}
	var unfinished, behind, edited []string
	for _, c := range l.Tenants {
		switch {
		case c.State == tenant.Adding, c.State == tenant.Removing:
			unfinished = append(unfinished, c.Name+" ("+string(c.State)+")")
		case c.Migration < postgres.Version:
			behind = append(behind, c.Name)
		case !slices.Contains(e.lost, c.Node):
			err := e.inCompany(ctx, c, func(conn *pgx.Conn) error { return postgres.CheckUnedited(ctx, conn, migrations.FS) })
			if found, ok := errors.AsType[postgres.EditedMigration](err); ok {
				edited = append(edited, c.Name+" ("+found.Name+")")
			} else if err != nil {
				return Finding{}, err
			}
		}
	}
	switch {
	case len(behind) > 0:
		return fine("%d of %d are not migrated, and their requests are rejected: %s", len(behind), len(l.Tenants), strings.Join(behind, ", ")).
			hint(Fail, "kontor migrate up"), nil
	case len(edited) > 0:
		return fine("%d of %d have applied a migration that was edited, and their requests are rejected: %s", len(edited), len(l.Tenants),
			strings.Join(edited, ", ")).
			hint(Fail, "use the program that applied it, or a company that this program has migrated from the start"), nil
	case len(unfinished) > 0:
		return fine("%d of %d are not complete: %s", len(unfinished), len(l.Tenants), strings.Join(unfinished, ", ")).
			hint(Warn, "unless a command for them is running: finish with kontor company add NAME those that are adding, "+
				"and with kontor company remove NAME --really those that are removing, or that nobody needs"), nil
	}
	return fine("%d, all complete", len(l.Tenants)), nil
}

func (e *examination) zone(ctx context.Context) (Finding, error) {
	setting := e.settings.TimeZone
	var recorded *string
	err := e.query(ctx, "select (select value from settings where name = 'timezone')", &recorded)
	switch {
	case err != nil:
		return Finding{}, err
	case recorded == nil:
		return fine("the database has none yet; the first start of kontor serve records %s", setting).
			hint(Warn, "if it is the wrong one, set KONTOR_TIMEZONE before the first start: it determines the month of a payment"), nil
	case *recorded != setting:
		return fine("the database has %s, and the setting is %s", *recorded, setting).
			hint(Fail, "set KONTOR_TIMEZONE=%s, or change the database: kontor timezone set %s", *recorded, setting), nil
	}
	return fine("%s, in the database and in the settings", setting), nil
}

func (e *examination) clock(ctx context.Context) (Finding, error) {
	var there time.Time
	before := time.Now()
	err := e.query(ctx, "select clock_timestamp()", &there)
	return skew(there.Sub(before.Add(time.Since(before) / 2))), err
}

func skew(ahead time.Duration) Finding {
	f := fine("that of the database is %s ahead of this machine's", ahead.Round(time.Millisecond))
	if ahead.Abs() > maxClockSkew {
		return f.hint(Warn, "synchronize both clocks (NTP): the timestamps of records are those of this machine")
	}
	return f
}

// connections compares the most that a service opens with the limits of the server,
// the user and the database.
func (e *examination) connections(ctx context.Context) (Finding, error) {
	var limit int
	err := e.query(ctx, `
select least(
    current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int,
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database()))`, &limit)
	needed := e.settings.MaxConnections + besides
	f := fine("a service opens up to %d, PostgreSQL allows %d", needed, limit)
	if needed > limit {
		f = f.hint(Fail, "lower KONTOR_MAX_CONNECTIONS, or raise max_connections of PostgreSQL and the limits of this user and database")
	}
	return f, err
}

func (e *examination) readModels(ctx context.Context) (Finding, error) {
	var areReady bool
	err := e.query(ctx, "select is_ready from read_model_state", &areReady)
	if err != nil || areReady {
		return fine("ready"), err
	}
	return fine("they are not ready, and lists are out of date").
		hint(Warn, "start kontor serve, which rebuilds them in the background, or run kontor readmodel rebuild"), nil
}

// rules finds typed rules that cannot be compiled, in all companies that are migrated and not on a worker that is lost.
func (e *examination) rules(ctx context.Context) (Finding, error) {
	broken, err := e.settings.BrokenRules(ctx, e.conn)
	if err != nil {
		return Finding{}, err
	}
	names, isActive := describeRules(broken, "")
	if !e.settings.IsCompany {
		l, err := pgtenant.NewCatalogue(e.conn).List(ctx)
		if err != nil {
			return Finding{}, err
		}
		for _, c := range l.Tenants {
			isComplete := c.State != tenant.Adding && c.State != tenant.Removing
			if c.Migration < postgres.Version || !isComplete || slices.Contains(e.lost, c.Node) {
				continue
			}
			var ofCompany []command.BrokenRule
			err := e.inCompany(ctx, c, func(conn *pgx.Conn) (err error) {
				ofCompany, err = e.settings.BrokenRules(ctx, conn)
				return err
			})
			if err != nil {
				return Finding{}, err
			}
			more, areActive := describeRules(ofCompany, " of the company "+c.Name)
			names, isActive = append(names, more...), isActive || areActive
		}
	}
	if len(names) == 0 {
		return fine("all can be compiled"), nil
	}
	f := fine("%d cannot be compiled: %s", len(names), strings.Join(names, "; "))
	if !isActive {
		return f.hint(Warn, "they are off; correct or delete them at /rest/rule"), nil
	}
	return f.hint(Fail, "correct them at /rest/rule, or turn them off: kontor rule mode NAME off"), nil
}

// inCompany reads in a transaction with the search path of the company.
func (e *examination) inCompany(ctx context.Context, c tenant.Tenant, read func(conn *pgx.Conn) error) error {
	return pgx.BeginFunc(ctx, e.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "select set_config('search_path', $1, true)", c.Code.Schema()); err != nil {
			return err
		}
		return read(tx.Conn())
	})
}

func describeRules(broken []command.BrokenRule, of string) (names []string, isActive bool) {
	for _, b := range broken {
		names = append(names, fmt.Sprintf("%s%s, on the resource %s, in the mode %s: %s", b.Name, of, b.Resource, b.Mode, b.Reason))
		isActive = isActive || b.Mode != ruledef.Off
	}
	return names, isActive
}

func (e *examination) admin(ctx context.Context) (Finding, error) {
	var admins, reached int
	err := e.query(ctx, `
select count(distinct u.id), count(distinct t.user_id)
from users u
left join tokens t on t.user_id = u.id and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
where u.role = 'admin' and not u.disabled`, &admins, &reached)
	f := fine("%d enabled, %d of them with a valid token", admins, reached)
	switch {
	case err != nil:
		return f, err
	case admins == 0:
		f = f.hint(Fail, "kontor user add --username NAME --role admin, or kontor user role and kontor user enable for an existing user")
	case reached == 0:
		f = f.hint(Warn, "kontor token issue --user NAME; kontor user list names them")
	}
	return f, nil
}

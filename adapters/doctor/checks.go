// Package doctor contains the checks of kontor doctor: they read the database of a
// service without changing it, and each finding has a remedy.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// The thresholds of warnings.
const (
	maxRoundTrip   = 20 * time.Millisecond // a request makes several
	maxClockSkew   = 2 * time.Second
	maxBatches     = 64
	maxChanges     = 100_000 // rows that are not folded
	maxCounted     = 1_000_000
	minimumVersion = 13 // before, only a superuser can create pg_trgm
	testedVersion  = 15 // the oldest that tests use
	background     = 4  // connections of a service besides those of requests: 2 of the worker, 1 of probes, 1 of a trial
	ofCompanies    = 3  // further ones with companies: 2 of their workers, 1 of a trial
	ofNumbers      = 7  // further ones that number records on Citus: 4 of requests, 2 of the workers, 1 of a trial
)

// SQLState returns the SQLSTATE of an error of the database; empty for other errors.
func SQLState(err error) string {
	coded, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err)
	if !ok {
		return ""
	}
	return coded.SQLState()
}

const undefinedTable = "42P01"

func (e *Examination) query(ctx context.Context, sql string, into ...any) error {
	return e.pool.QueryRow(ctx, sql).Scan(into...)
}

func (e *Examination) reach(context.Context) (Finding, error) {
	config := e.pool.Config().ConnConfig
	f := fine("%s at %s, a round trip takes %s", config.Database, config.Host, e.trip.Round(10*time.Microsecond))
	if e.trip > maxRoundTrip {
		return f.hint(Warn, "run the service closer to the database: a request makes several round trips"), nil
	}
	return f, nil
}

func (e *Examination) encryption(ctx context.Context) (Finding, error) {
	if e.local {
		return fine("not needed, the database is on this machine"), nil
	}
	var encrypted bool
	if err := e.query(ctx, "select coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false)", &encrypted); err != nil {
		return Finding{}, err
	}
	const fix = "add sslmode=verify-full to KONTOR_DATABASE_URL, and sslrootcert if you have your own certificate authority"
	switch {
	case !encrypted:
		return fine("none: the password and all data are sent unencrypted").hint(Warn, fix), nil
	case e.plain:
		return fine("TLS, but an unencrypted connection would be accepted too").hint(Warn, fix), nil
	}
	return fine("TLS"), nil
}

func (e *Examination) version(ctx context.Context) (Finding, error) {
	var version string
	var number int
	err := e.query(ctx, "select current_setting('server_version'), current_setting('server_version_num')::int", &version, &number)
	if err != nil {
		return Finding{}, err
	}
	return supported(version, number/10_000), nil
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

func (e *Examination) encoding(ctx context.Context) (Finding, error) {
	var encoding string
	if err := e.query(ctx, "select current_setting('server_encoding')", &encoding); err != nil {
		return Finding{}, err
	}
	f := fine("%s", encoding)
	if encoding != "UTF8" {
		return f.hint(Fail, "recreate the database: create database ... encoding 'UTF8' template template0"), nil
	}
	return f, nil
}

func (e *Examination) letters(ctx context.Context) (Finding, error) {
	var locale string
	if err := e.query(ctx, "select datctype from pg_database where datname = current_database()", &locale); err != nil {
		return Finding{}, err
	}
	f := fine("LC_CTYPE is %s", locale)
	if locale != "C" && locale != "POSIX" {
		return f, nil
	}
	f.Found += ": searches for non-Latin text are slow"
	if e.owner == Kontor {
		f.Found += ", until a backup is restored into a new data directory on a system with the locale C.UTF-8"
		return f, nil
	}
	return f.hint(Warn, "if there are many, recreate the database: create database ... lc_ctype 'C.UTF-8' template template0"), nil
}

func (e *Examination) trigrams(ctx context.Context) (Finding, error) {
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

func (e *Examination) migrations(ctx context.Context) (Finding, error) {
	known := make([]int64, postgres.Version)
	for i := range known {
		known[i] = int64(i) + 1
	}
	var applied []int64
	err := e.query(ctx, `
select coalesce(array_agg(version_id order by version_id), '{}')
from schema_migrations
where is_applied and version_id > 0`, &applied)
	if err != nil && SQLState(err) != undefinedTable {
		return Finding{}, err
	}
	missing, unknown := without(known, applied), without(applied, known)
	switch {
	case len(unknown) > 0:
		return fine("the database has migrations that this program does not know: %s", listOf(unknown)).
			hint(Fail, "use the newer Kontor that migrated it, or roll them back with that one: kontor migrate down"), nil
	case len(missing) > 0:
		return fine("%d of %d are missing: %s", len(missing), len(known), listOf(missing)).
			hint(Fail, "kontor migrate up; kontor serve does it too, unless --migrate=false"), nil
	}
	return fine("all %d are applied", len(known)), nil
}

func without(all, some []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(all), func(n int64) bool { return slices.Contains(some, n) })
}

func listOf(numbers []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

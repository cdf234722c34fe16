package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

type setting struct{ name, value string }

// clientSettings depend on the service. A connection pooler has to apply those of a
// client to whichever server connection it gives it; PgBouncer does.
func (c Config) clientSettings() []setting {
	return []setting{
		{"TimeZone", c.Zone},
		{"DateStyle", "ISO, YMD"},
	}
}

// serverSettings are the same for all services on a database. A direct connection asks
// for them; behind a connection pooler they have to be the defaults of the role.
func (c Config) serverSettings() []setting {
	return []setting{
		{"statement_timeout", milliseconds(c.StatementTimeout)},
		{"lock_timeout", milliseconds(c.LockTimeout)},
		{"idle_in_transaction_session_timeout", milliseconds(2 * c.StatementTimeout)},
		// For single statements, as transactions begin with their level: they never fail
		// because of concurrent ones.
		{isolationSetting, string(pgx.ReadCommitted)},
		// Statements are short: compiling one would take longer than running it.
		{"jit", "off"},
		// A connection is one process of the database: limiting the connections of slow
		// statements limits the processors that they take.
		{"max_parallel_workers_per_gather", "0"},
		// The plan depends on the statement alone, not on its values: the readers have a
		// statement for each access path, and planning takes longer than running.
		{planSetting, c.plans()},
		// A cached plan with a sequential scan, made while the table was empty, would be
		// used when it is full.
		{"enable_seqscan", "off"},
		// Lists read from memory or from an SSD.
		{"random_page_cost", "1.1"},
	}
}

// planSetting of connections to tables that Citus distributes has another value, because Citus plans
// some statements only with their values.
const (
	planSetting      = "plan_cache_mode"
	genericPlans     = "force_generic_plan"
	distributedPlans = "auto"
)

func (c Config) plans() string {
	if c.Distributed {
		return distributedPlans
	}
	return genericPlans
}

// isolationSetting is the isolation level of transactions that begin without one, such as
// those of single statements.
const isolationSetting = "default_transaction_isolation"

// SessionMismatch is the error of a connection without the settings that the service needs, for
// example because a pooler has dropped them.
type SessionMismatch struct {
	Wrong    []WrongSetting
	Pooled   bool // the connection is a pooler's
	Role     string
	Database string
}

// WrongSetting is a setting of a session, with values in the units of pg_settings.
type WrongSetting struct{ Name, Value, Want string }

func (e SessionMismatch) Error() string {
	return e.Found() + ": " + e.Remedy()
}

// Found returns what is wrong.
func (e SessionMismatch) Found() string {
	of := "connections to the database"
	if e.Pooled {
		of = "the pooler's connections"
	}
	wrong := make([]string, len(e.Wrong))
	for i, w := range e.Wrong {
		wrong[i] = fmt.Sprintf("%s is %q instead of %q", w.Name, w.Value, w.Want)
	}
	return of + " lack settings of the service: " + strings.Join(wrong, ", ")
}

// Remedy returns what the operator can do about it.
func (e SessionMismatch) Remedy() string {
	if !e.Pooled {
		return "if there is a connection pooler in between, give its address as --pooler-url (KONTOR_POOLER_URL), " +
			"and that of the database itself as --database-url (KONTOR_DATABASE_URL)"
	}
	var all []string
	var ofRole []setting
	for _, w := range e.Wrong {
		if w.Name == "TimeZone" || w.Name == "DateStyle" {
			all = append(all, "use a pooler that keeps "+w.Name+" for each client, as PgBouncer does")
			continue
		}
		ofRole = append(ofRole, setting{w.Name, w.Want})
	}
	if len(ofRole) > 0 {
		all = append(all, "run this on the database, and then RECONNECT in the console of PgBouncer: "+
			strings.Join(roleDefaults(e.Role, e.Database, ofRole), " "))
	}
	return strings.Join(all, "; ")
}

// RoleDefaults returns statements that make the session settings, for a service behind a
// pooler, the defaults of the role in the database. A role may run them for itself.
func RoleDefaults(c Config, role, database string) []string {
	return roleDefaults(role, database, c.serverSettings())
}

func roleDefaults(role, database string, settings []setting) []string {
	all := make([]string, len(settings))
	for i, s := range settings {
		all[i] = fmt.Sprintf("alter role %s in database %s set %s = '%s';",
			pgx.Identifier{role}.Sanitize(), pgx.Identifier{database}.Sanitize(), s.name, s.value)
	}
	return all
}

// checkSession returns a SessionMismatch if the connection lacks settings.
func checkSession(ctx context.Context, conn querier, c Config) error {
	wanted := append(c.clientSettings(), c.serverSettings()...)
	names := make([]string, len(wanted))
	for i, s := range wanted {
		names[i] = "'" + s.name + "'"
	}
	rows, err := conn.Query(ctx, `
select name, setting, current_user, current_database()
from pg_settings
where name in (`+strings.Join(names, ", ")+`)`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return fmt.Errorf("read the settings of the connection: %w", err)
	}
	mismatch := SessionMismatch{Pooled: c.Pooled}
	has := map[string]string{}
	var name, value string
	if _, err := pgx.ForEachRow(rows, []any{&name, &value, &mismatch.Role, &mismatch.Database}, func() error {
		has[name] = value
		return nil
	}); err != nil {
		return fmt.Errorf("read the settings of the connection: %w", err)
	}
	for _, s := range wanted {
		if !strings.EqualFold(has[s.name], s.value) {
			mismatch.Wrong = append(mismatch.Wrong, WrongSetting{s.name, has[s.name], s.value})
		}
	}
	if len(mismatch.Wrong) > 0 {
		return mismatch
	}
	return nil
}

// querier is a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

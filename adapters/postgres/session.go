package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
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
		{planSetting, "force_generic_plan"},
		// A cached plan with a sequential scan, made while the table was empty, would be
		// used when it is full.
		{"enable_seqscan", "off"},
		// Lists read from memory or from an SSD.
		{"random_page_cost", "1.1"},
	}
}

// Citus plans some statements only with their values, none of which only reads. So there the
// server decides, except on connections that are directly to a worker.
const (
	planSetting      = "plan_cache_mode"
	distributedPlans = "auto"
)

// openingsKey is the key of a connection's data for the statements that begin a transaction, if
// its sessions have the settings of the service.
const openingsKey = "openings"

// prepareSession notes on a new connection how its transactions begin. With Citus, they also limit
// how long they wait for locks on a worker, and planSetting has another value.
//
// Chose that all transactions have the isolation level of the connection, over a level for each,
// because PostgreSQL 15 takes a fortieth of the time of a short write to set it and to reset it.
//
// Chose to limit each transaction over limits of the roles on the workers, because it needs no
// right and no upkeep there, and Citus sends the limit with the begin of its transaction on the
// worker. Costs one more statement for the coordinator, and statements outside of transactions
// wait for the statement timeout.
func (c Config) prepareSession(ctx context.Context, conn *pgconn.PgConn) error {
	results, err := conn.Exec(ctx, "select set_config('"+planSetting+"', '"+distributedPlans+
		"', false), set_config('citus.propagate_set_commands', 'local', false) from pg_extension where extname = 'citus'").ReadAll()
	if err != nil {
		return fmt.Errorf("find out whether the database has Citus: %w", err)
	}
	openings := []string{beginAsSet}
	if len(results[0].Rows) > 0 {
		openings = append(openings, "set local lock_timeout = "+milliseconds(c.LockTimeout))
	}
	conn.CustomData()[openingsKey] = openings
	return nil
}

// NameZone puts the name of the connection's time zone where the statement asks for it. A
// server that is forwarded a statement, or a part of one, may have another zone.
//
// Chose this over setting the zone on that server. Because: Citus does so only in a
// transaction, by a round trip more. Costs: statements that are prepared for one zone.
func NameZone(conn *pgx.Conn, sql string) string {
	if !strings.Contains(sql, listdef.ConnectionZone) {
		return sql
	}
	zone := conn.PgConn().ParameterStatus("TimeZone")
	if zone == "" {
		return sql
	}
	return strings.ReplaceAll(sql, listdef.ConnectionZone, "'"+strings.ReplaceAll(zone, "'", "''")+"'")
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
select name, setting, current_user, current_database(), exists (select from pg_extension where extname = 'citus')
from pg_settings
where name in (`+strings.Join(names, ", ")+`)`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return fmt.Errorf("read the settings of the connection: %w", err)
	}
	mismatch := SessionMismatch{Pooled: c.Pooled}
	has := map[string]string{}
	var name, value string
	var isDistributed bool
	if _, err := pgx.ForEachRow(rows, []any{&name, &value, &mismatch.Role, &mismatch.Database, &isDistributed}, func() error {
		has[name] = value
		return nil
	}); err != nil {
		return fmt.Errorf("read the settings of the connection: %w", err)
	}
	for _, s := range wanted {
		if s.name == planSetting && isDistributed && !c.Pooled && !c.direct {
			s.value = distributedPlans
		}
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

package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

type setting struct{ name, value string }

// session are the settings of the connections. They are parameters of connecting.
func (c Config) session() []setting {
	return []setting{
		{zoneSetting, c.Zone},
		{"DateStyle", "ISO, YMD"},
		{statementTimeout, milliseconds(c.StatementTimeout)},
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

const (
	zoneSetting      = "TimeZone"
	statementTimeout = "statement_timeout"
)

// isolationSetting is the isolation level of transactions that begin without one, such as
// those of single statements.
const isolationSetting = "default_transaction_isolation"

// SessionMismatch is the error of a connection without the settings that the service needs, for
// example because a pooler has dropped them.
type SessionMismatch struct{ Wrong []WrongSetting }

// WrongSetting is a setting of a session, with values in the units of pg_settings.
type WrongSetting struct{ Name, Value, Want string }

func (e SessionMismatch) Error() string {
	return e.Found() + ": " + e.Remedy()
}

// Found returns what is wrong.
func (e SessionMismatch) Found() string {
	wrong := make([]string, len(e.Wrong))
	for i, w := range e.Wrong {
		wrong[i] = fmt.Sprintf("%s is %q instead of %q", w.Name, w.Value, w.Want)
	}
	return "connections to the database lack settings of the service: " + strings.Join(wrong, ", ")
}

// Remedy returns what the operator can do about it.
func (e SessionMismatch) Remedy() string {
	return "if there is a connection pooler in between, have it pass on the parameters of a connection, or give the address of the " +
		"database itself as --database-url (KONTOR_DATABASE_URL)"
}

// greeting is what a new connection says of itself.
type greeting struct {
	backend uint32   // its server process
	values  []string // of the settings
	stated
}

// greet asks a new connection in one round trip: a service opens many connections when it starts. What the tables say is
// a statement of its own: Citus runs a statement that reads a distributed table on the worker, whose session has other
// settings, and in a database that is not migrated only that statement fails.
func greet(ctx context.Context, conn *pgx.Conn, settings []setting) (g greeting, err error) {
	columns := []string{"pg_backend_pid()"}
	for _, s := range settings {
		columns = append(columns, s.current())
	}
	results, err := conn.PgConn().Exec(ctx, "select "+strings.Join(columns, ", ")+"; select "+statedColumns).ReadAll()
	if err != nil && !isState(err, undefinedTable) {
		return g, fmt.Errorf("read the settings of the connection: %w", err)
	}
	session := results[0].Rows[0]
	backend, err := strconv.ParseUint(string(session[0]), 10, 32)
	if err != nil {
		return g, fmt.Errorf("read the server process of the connection: %w", err)
	}
	g.backend = uint32(backend)
	for _, value := range session[1:] {
		g.values = append(g.values, string(value))
	}
	if len(results) > 1 {
		g.minimum, g.zone = textOf(results[1].Rows[0][0]), textOf(results[1].Rows[0][1])
	}
	return g, nil
}

// textOf is the value in the text format; nil if it is null.
func textOf(value []byte) *string {
	if value == nil {
		return nil
	}
	text := string(value)
	return &text
}

// current is the value of the setting in the session. Unlike pg_settings, current_setting does not compute all others,
// and shows a timeout with a unit.
func (s setting) current() string {
	value := "current_setting('" + s.name + "', true)"
	if strings.HasSuffix(s.name, "_timeout") {
		value = "(extract(epoch from " + value + "::interval) * 1000)::bigint::text"
	}
	return "coalesce(" + value + ", '')"
}

// checkSession returns a SessionMismatch if the connection lacks settings.
func (g greeting) checkSession(wanted []setting) error {
	var mismatch SessionMismatch
	for i, s := range wanted {
		if has := g.values[i]; !strings.EqualFold(has, s.value) {
			mismatch.Wrong = append(mismatch.Wrong, WrongSetting{s.name, has, s.value})
		}
	}
	if len(mismatch.Wrong) > 0 {
		return mismatch
	}
	return nil
}

// querier is a connection, a transaction or a pool.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/migrations"
	"github.com/kontor-crm/kontor/ports"
)

// ServiceName is the application_name of the connections of services.
const ServiceName = "kontor"

// The application_name of this program's connections.
const (
	poolName    = ServiceName
	migrateName = "kontor migrate"
	zoneName    = "kontor timezone"
	probeName   = "kontor doctor"
)

// Config has the connection settings and the timeouts.
type Config struct {
	URL              string
	MaxConns         int32         // 0: pgx decides
	StatementTimeout time.Duration // of a statement, in the database
	LockTimeout      time.Duration // of waiting for a lock, in the database
	Zone             string        // IANA name: how instants of the default company are read and shown
	Spans            Spans         // traces the statements of requests; nil: none

	Node        string     // of Citus, host and port, to connect to; empty: that of the URL
	Distributed bool       // the tables are distributed by Citus
	Timelines   *Timelines // refuse former primaries; nil: none is refused
}

// connectTimeout is the timeout of connecting, unless the URL has one (connect_timeout).
// An attempt continues when its request has ended, and occupies a slot of the pool:
// hanging attempts would exhaust it.
const connectTimeout = 3 * time.Second

func poolConfig(c Config) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	if c.MaxConns > 0 {
		config.MaxConns = c.MaxConns
	}
	if err := c.configure(config.ConnConfig); err != nil {
		return nil, err
	}
	config.MaxConnLifetime, config.MaxConnLifetimeJitter = maxLifetime, maxLifetime/10
	config.AfterConnect = c.check
	return config, nil
}

func (c Config) configure(config *pgx.ConnConfig) (err error) {
	config.RuntimeParams["application_name"] = poolName
	for _, s := range c.session() {
		config.RuntimeParams[s.name] = s.value
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	config.Tracer = tracer{c.Spans}
	config.BuildContextWatcherHandler = cancelling
	config.OnNotice = noteUnreplicated
	url, err := pgconn.ParseConfig(c.URL) // which leaves the parameters of pgx
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	if _, isGiven := url.RuntimeParams["statement_cache_capacity"]; !isGiven {
		config.StatementCacheCapacity = preparedStatements
	}
	if mode := config.DefaultQueryExecMode; mode == pgx.QueryExecModeExec || mode == pgx.QueryExecModeSimpleProtocol {
		return errors.New("default_query_exec_mode in the database URL must be cache_statement, cache_describe or describe_exec")
	}
	if err := toNode(config, c.URL, c.Node); err != nil {
		return err
	}
	c.Timelines.watch(&config.Config)
	return nil
}

// maxLifetime is how long a connection is used: PostgreSQL keeps what it has read of the tables of each company that a
// connection has served, some 0.1 to 0.3 MB, until the connection is closed.
const maxLifetime = 10 * time.Minute

// preparedStatements is how many statements a connection keeps prepared, unless the URL has
// another number (statement_cache_capacity). The size of a page and the choice of fields are
// part of a statement, and each takes some 150 kB of the database's memory, on every
// connection: pgx's default of 512 would be 80 MB. Preparing a statement again takes a
// millisecond.
const preparedStatements = 128

// cancelDelay is how long a cancelled statement may take to end; after that its connection is closed.
const cancelDelay = time.Second

// cancelling cancels the statement of a cancelled request in the database, and keeps its connection.
func cancelling(conn *pgconn.PgConn) ctxwatch.Handler {
	return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelDelay}
}

// check returns an error if the connection cannot be used. It is not part of the request
// that needs the connection.
func (c Config) check(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ports.WithoutObservation(ctx), connectTimeout)
	defer cancel()
	wanted := c.session()
	g, err := greet(ctx, conn, wanted)
	if err == nil {
		err = checkPooler(ctx, conn, g.backend)
	}
	if err == nil {
		err = g.checkSession(wanted)
	}
	if err == nil {
		err = g.check(c.Zone)
	}
	if isMisconfigured(err) {
		return unavailable.WithCause(err)
	}
	return err
}

// CheckTenant returns an error if the company's tables cannot be used: the schema lacks a
// migration or has applied another version of one, requires a newer program, or has another time zone than the catalogue.
func CheckTenant(ctx context.Context, db *DB, zone string) error {
	schema, err := Repeat(ctx, db, func() (schema, error) { return readSchema(ctx, db) })
	if err == nil {
		err = schema.check(zone)
	}
	if err == nil {
		err = CheckUnedited(ctx, db, migrations.FS)
	}
	if err != nil {
		return unavailable.WithCause(err)
	}
	return nil
}

// isMisconfigured reports whether the database was reached, and must not be used as
// things are.
func isMisconfigured(err error) bool {
	_, otherZone := errors.AsType[ZoneMismatch](err)
	_, tooOld := errors.AsType[TooOld](err)
	_, otherSession := errors.AsType[SessionMismatch](err)
	return otherZone || tooOld || otherSession || errors.Is(err, ErrNoSession)
}

// Reconnect reports whether the error is a broken connection of the pool db, after which a
// read can be repeated. It then resets the pool, because when the server stops, most
// connections break. It returns false if the context has ended, or if db is a single
// connection.
func Reconnect(ctx context.Context, db any, err error) bool {
	pool, ok := db.(*DB)
	if !ok || err == nil || ctx.Err() != nil || !isBroken(err) {
		return false
	}
	pool.Reset()
	return true
}

// Repeat calls do, which can be repeated, and calls it once more if IsRepeatable says so.
func Repeat[T any](ctx context.Context, db any, do func() (T, error)) (T, error) {
	began := time.Now()
	result, err := do()
	if IsRepeatable(ctx, db, err, began) {
		return do()
	}
	return result, err
}

// IsRepeatable reports whether a read that began at that time failed for no reason of its own: the connection was
// broken (Reconnect), or its statement was canceled for another caller.
func IsRepeatable(ctx context.Context, db any, err error, began time.Time) bool {
	return Reconnect(ctx, db, err) || isMistaken(ctx, db, err, began)
}

// isMistaken reports whether the database canceled a statement for no reason of its own: the request that cancels that of
// a caller that has left may reach the server when the connection serves the next one.
func isMistaken(ctx context.Context, db any, err error, began time.Time) bool {
	return ctx.Err() == nil && isState(err, queryCanceled) && !isTimeout(db, time.Since(began))
}

// isTimeout reports whether the statement timeout of the pool db may have passed, which has the same SQLSTATE as
// a cancellation.
func isTimeout(db any, took time.Duration) bool {
	pool, ok := db.(*DB)
	return !ok || pool.pool.timeout > 0 && took >= pool.pool.timeout
}

func milliseconds(d time.Duration) string {
	return strconv.FormatInt(d.Milliseconds(), 10)
}

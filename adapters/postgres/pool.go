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

	"github.com/kontor-crm/kontor/ports/observe"
)

// The application_name of this program's connections. SetZone ends those of pools.
const (
	poolName    = "kontor"
	migrateName = "kontor migrate"
	zoneName    = "kontor timezone"
)

// isolationSetting is the isolation level of transactions that begin without one, such as
// those of single statements.
const isolationSetting = "default_transaction_isolation"

// Config is how to connect to the database, and the timeouts.
type Config struct {
	URL              string
	MaxConns         int32              // 0: pgx decides
	StatementTimeout time.Duration      // of a statement, in the database
	LockTimeout      time.Duration      // of waiting for a lock, in the database
	Zone             string             // IANA name: how instants are read and shown
	Watch            observe.Statements // observes the statements of requests; nil: none
}

// connectTimeout is the timeout of connecting, unless the URL has one (connect_timeout).
// An attempt continues when its request has ended, and occupies a slot of the pool:
// hanging attempts would exhaust it.
const connectTimeout = 3 * time.Second

// Open creates a pool. It connects lazily: the first statement fails if the database is
// down.
//
// Every connection uses the service's time zone and ISO dates, since the readers pass
// the database's text on unchanged. If the database has another zone, connecting fails:
// a service that was started before the migration, or runs while the zone is changed,
// shows no wrong times. Connecting also fails if the database requires a newer program.
func Open(ctx context.Context, c Config) (*pgxpool.Pool, error) {
	config, err := poolConfig(c)
	if err != nil {
		return nil, err
	}
	return newPool(ctx, config)
}

func newPool(ctx context.Context, config *pgxpool.Config) (*pgxpool.Pool, error) {
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("create the connection pool: %w", err)
	}
	return pool, nil
}

func poolConfig(c Config) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	if c.MaxConns > 0 {
		config.MaxConns = c.MaxConns
	}
	params := config.ConnConfig.RuntimeParams
	params["application_name"] = poolName
	params["timezone"] = c.Zone
	params["datestyle"] = "ISO, YMD"
	params["statement_timeout"] = milliseconds(c.StatementTimeout)
	params["lock_timeout"] = milliseconds(c.LockTimeout)
	// For single statements, as transactions begin with their level: they never fail
	// because of concurrent ones.
	params[isolationSetting] = string(pgx.ReadCommitted)
	params["idle_in_transaction_session_timeout"] = milliseconds(2 * c.StatementTimeout)
	// Statements are short: compiling one would take longer than running it.
	params["jit"] = "off"
	// A connection is one process of the database: limiting the connections of slow
	// statements limits the processors that they take.
	params["max_parallel_workers_per_gather"] = "0"
	// The plan depends on the statement alone, not on its values: the readers have a
	// statement for each access path, and planning takes longer than running.
	params["plan_cache_mode"] = "force_generic_plan"
	// A cached plan with a sequential scan, made while the table was empty, would be
	// used when it is full.
	params["enable_seqscan"] = "off"
	// Lists read from memory or from an SSD.
	params["random_page_cost"] = "1.1"
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		ctx, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		// Connecting is not part of the request that caused it.
		err := checkSettings(observe.WithoutRequest(ctx), conn, c.Zone)
		_, other := errors.AsType[ZoneMismatch](err)
		_, old := errors.AsType[TooOld](err)
		if other || old {
			return unavailable.Because(err)
		}
		return err
	}
	config.ConnConfig.Tracer = tracer{observer: c.Watch, database: config.ConnConfig.Database}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	// A cancelled request cancels its statement and keeps its connection.
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Second}
	}
	return config, nil
}

// Reconnect reports whether the error is a broken connection of the pool, so that a
// statement that changed nothing can be repeated. It resets the pool, since most
// connections break when the server stops. It returns false if the context has ended,
// or if db is not a pool but a single connection.
func Reconnect(ctx context.Context, db any, err error) bool {
	pool, ok := db.(*pgxpool.Pool)
	if !ok || err == nil || ctx.Err() != nil || !isBroken(err) {
		return false
	}
	pool.Reset()
	return true
}

func milliseconds(d time.Duration) string {
	return strconv.FormatInt(d.Milliseconds(), 10)
}

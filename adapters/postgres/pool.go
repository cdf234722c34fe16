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

// Config says how to reach the database and how long it may take.
type Config struct {
	URL              string
	MaxConns         int32              // 0: pgx decides
	StatementTimeout time.Duration      // the database ends a statement after it
	LockTimeout      time.Duration      // and one that waits for a lock after this
	Zone             string             // IANA name: how instants are read and shown
	Watch            observe.Statements // is told of the statements of requests; nil: nobody is
}

// connectWithin is how long a connection may take to be made, if the URL does not
// say (connect_timeout). An attempt goes on when the request has gone that needed
// it, and takes the place of a connection: attempts that hang would use up the pool.
const connectWithin = 3 * time.Second

// Open makes a pool. It connects lazily: a database that is down is found by
// the first statement.
//
// Every connection speaks in the service's zone and in ISO dates, since the
// read models hand the database's own text on as it is. If the database is kept
// in another zone there are no connections: a service that was started before
// it was migrated, or runs while the zone is changed, shows no wrong times. There
// are none either if the database takes newer programs only.
func Open(ctx context.Context, c Config) (*pgxpool.Pool, error) {
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
	params["idle_in_transaction_session_timeout"] = milliseconds(2 * c.StatementTimeout)
	// Statements are short: to compile one would take longer than to run it.
	params["jit"] = "off"
	// The shape of a statement alone says how it is carried out, not its values:
	// the read models have another statement for each way of finding rows, and to
	// plan one anew takes longer than to run it.
	params["plan_cache_mode"] = "force_generic_plan"
	// A plan outlives the moment it was made in. One that reads a table from end to
	// end, as that was empty then, would do so when it is full.
	params["enable_seqscan"] = "off"
	// What a list reads lies in memory or on a disk without a head to move.
	params["random_page_cost"] = "1.1"
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectWithin
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		ctx, cancel := context.WithTimeout(ctx, connectWithin)
		defer cancel()
		// A connection is made beside the request that needed one, and for others too.
		err := checkKept(observe.Unwatched(ctx), conn, c.Zone)
		_, other := errors.AsType[OtherZone](err)
		_, old := errors.AsType[TooOld](err)
		if other || old {
			return unavailable.Because(err)
		}
		return err
	}
	config.ConnConfig.Tracer = tracer{told: c.Watch, database: config.ConnConfig.Database}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	// A request that goes away cancels its statement and keeps its connection.
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Second}
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("make the connection pool: %w", err)
	}
	return pool, nil
}

// Reconnect tells whether the error is that of a connection of the pool that broke,
// and what it was asked for is worth another try: it is if nothing was changed. The
// others are not trusted any longer, as most connections break when the server ends. A
// request whose time is over is not tried again, and neither is one of which db is
// no pool but a single connection.
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

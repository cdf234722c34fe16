package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"
)

// ErrNotMigrated is the error for a database that lacks a migration.
var ErrNotMigrated = errors.New("the database is not migrated: run kontor migrate up")

// Probe checks whether the database can be used. It has a connection of its own, so that it
// does not wait for requests. Ready is not safe for concurrent use.
type Probe struct {
	db   *DB
	zone string
	// schema is why the schema could not be used when it was last read.
	schema error
}

// The timeouts of a probe, in the database.
const (
	probeStatementTimeout = 500 * time.Millisecond
	probeLockTimeout      = 250 * time.Millisecond
)

// NewProbe returns a probe that connects lazily. It uses the URL and the zone of the configuration.
func NewProbe(ctx context.Context, c Config) (*Probe, error) {
	c = Config{
		URL: c.URL, Zone: c.Zone, MaxConns: 1, Timelines: c.Timelines,
		StatementTimeout: probeStatementTimeout, LockTimeout: probeLockTimeout,
	}
	config, err := poolConfig(c)
	if err != nil {
		return nil, err
	}
	// The query itself shows whether the connection works.
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	// A server that does not respond does not take a request to cancel either.
	config.ConnConfig.BuildContextWatcherHandler = closing
	pool, err := newPool(ctx, config, c)
	if err != nil {
		return nil, err
	}
	return &Probe{db: pool.Company("", c.Zone, 0), zone: c.Zone, schema: errUnread}, nil
}

// DB returns the connection, for other short statements that must not wait for requests.
// Ready waits for them.
func (p *Probe) DB() *DB { return p.db }

// Close closes the connection.
func (p *Probe) Close() { p.db.Close() }

var errUnread = errors.New("the tables that say which migrations the database has are locked")

// Ready returns nil if the database responds, has every migration that this program knows,
// does not require a newer program, and has the same zone. Its errors are ErrNotMigrated,
// TooOld, ZoneMismatch, and those of the database.
//
// If another session has locked the tables that it reads, Ready uses what it last read: a
// lock is no reason to stop serving requests that do not need these tables.
func (p *Probe) Ready(ctx context.Context) error {
	schema, err := Repeat(ctx, p.db, func() (schema, error) { return readSchema(ctx, p.db) })
	switch {
	case IsLockTimeout(err):
		return p.schema
	case err != nil:
		return fmt.Errorf("read the version of the schema: %w", err)
	}
	p.schema = schema.check(p.zone)
	return p.schema
}

// Warm opens connections until the pool has so many, and waits for them.
func (p *Pool) Warm(ctx context.Context, connections int32) error {
	if s := p.conns.Stat(); s.IdleConns()+s.AcquiredConns() >= connections {
		return nil
	}
	var opening errgroup.Group
	acquired := make(chan *pgxpool.Conn, connections)
	for range connections {
		opening.Go(func() error {
			conn, err := p.conns.Acquire(ctx)
			if err == nil {
				acquired <- conn
			}
			return err
		})
	}
	err := opening.Wait()
	close(acquired)
	for conn := range acquired {
		conn.Release()
	}
	return err
}

// schema is what the database says about itself.
type schema struct {
	newest int64 // migration
	stated
}

// readSchema reads it in one round trip.
func readSchema(ctx context.Context, db *DB) (s schema, err error) {
	err = db.QueryRow(ctx, `
select coalesce((select max(version_id) from `+migrationsTable+` where is_applied), 0),
    `+statedColumns, pgx.QueryExecModeSimpleProtocol).Scan(&s.newest, &s.minimum, &s.zone)
	if isState(err, undefinedTable) {
		return schema{}, nil
	}
	return s, err
}

func (s schema) check(zone string) error {
	if s.newest < Version {
		return ErrNotMigrated
	}
	return s.stated.check(zone)
}

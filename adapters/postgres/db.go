package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is a database, or a part of one, as stores, readers and workers use it. A pool is one.
type DB interface {
	// Acquire takes a connection, which has to be released.
	Acquire(ctx context.Context) (*pgxpool.Conn, error)
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	// Config is a copy of the configuration, for a connection outside of the pool.
	Config() *pgxpool.Config
	// Reset closes all connections, those in use when they are released.
	Reset()
}

var _ DB = (*pgxpool.Pool)(nil)

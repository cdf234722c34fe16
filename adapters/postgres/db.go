package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is the database, or the part of it that belongs to a company, for stores, readers and
// workers. A *pgxpool.Pool implements it.
type DB interface {
	// Acquire returns a connection, which the caller has to release.
	Acquire(ctx context.Context) (*pgxpool.Conn, error)
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	// Config returns a copy of the configuration, for a connection outside of the pool.
	Config() *pgxpool.Config
	// Reset closes all connections. Those in use are closed when they are released.
	Reset()
}

var _ DB = (*pgxpool.Pool)(nil)

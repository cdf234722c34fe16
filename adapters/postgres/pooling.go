package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Pooling is the unit to which a connection pooler assigns server connections.
type Pooling uint8

// The kinds of pooling.
const (
	NoPooling          Pooling = iota // there is no pooler
	SessionPooling                    // to each connection of a client
	TransactionPooling                // to each transaction
	StatementPooling                  // to each statement
)

// probes is how often transactions of two clients are compared.
const probes = 5

// PoolingOf finds out whether the URL is that of a connection pooler, and its kind of
// pooling. It opens two connections.
func PoolingOf(ctx context.Context, databaseURL string) (Pooling, error) {
	one, err := connectAs(ctx, databaseURL, probeName)
	if err != nil {
		return NoPooling, err
	}
	defer func() { _ = one.Close(context.WithoutCancel(ctx)) }()
	pid, err := backend(ctx, one)
	if err != nil {
		return NoPooling, err
	}
	// A pooler tells its clients ids of its own, by which they cancel statements.
	if pid == one.PgConn().PID() {
		return NoPooling, nil
	}
	two, err := connectAs(ctx, databaseURL, probeName)
	if err != nil {
		return NoPooling, err
	}
	defer func() { _ = two.Close(context.WithoutCancel(ctx)) }()
	for range probes {
		moved, err := moves(ctx, one, two)
		if err != nil {
			if isState(err, protocolViolation) {
				return StatementPooling, nil
			}
			return NoPooling, err
		}
		if moved {
			return TransactionPooling, nil
		}
	}
	return SessionPooling, nil
}

// moves reports whether a client gets another connection of the server while a second one
// is in a transaction, or that client the first one's.
func moves(ctx context.Context, one, two *pgx.Conn) (bool, error) {
	before, err := backend(ctx, one)
	if err != nil {
		return false, err
	}
	tx, err := two.BeginTx(ctx, readCommitted)
	if err != nil {
		return false, fmt.Errorf("begin a transaction: %w", err)
	}
	defer rollback(ctx, tx.Rollback)
	other, err := backend(ctx, tx)
	if err != nil {
		return false, err
	}
	if other == before {
		return true, nil
	}
	after, err := backend(ctx, one)
	return after != before, err
}

// backend is the id of the server process that runs the statement.
func backend(ctx context.Context, conn querier) (pid uint32, err error) {
	rows, err := conn.Query(ctx, "select pg_backend_pid()", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return 0, fmt.Errorf("ask for the server process: %w", err)
	}
	pid, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[uint32])
	if err != nil {
		return 0, fmt.Errorf("ask for the server process: %w", err)
	}
	return pid, nil
}

// CheckSession connects like a service. The error is a SessionMismatch if a setting of the
// session is not in effect.
func CheckSession(ctx context.Context, c Config) error {
	config, err := pgx.ParseConfig(c.URL)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	if err := c.configure(config); err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return checkSession(ctx, conn, c)
}

// CheckPooler connects like a service. It returns a SessionMismatch if a setting of the
// session is not in effect, and another error if the pooler has no transactions. It
// returns nil if the pooler or the database cannot be reached, because that may change.
func CheckPooler(ctx context.Context, c Config) error {
	c.MaxConns = 1
	pool, err := Open(ctx, c)
	if err != nil {
		return err
	}
	defer pool.Close()
	err = pool.Ping(ctx)
	if mismatch, ok := errors.AsType[SessionMismatch](err); ok {
		return mismatch
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == protocolViolation {
		return fmt.Errorf("the connection pooler has to pool transactions (pool_mode = transaction in PgBouncer): %s", pg.Message)
	}
	return ctx.Err()
}

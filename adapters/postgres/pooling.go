package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ErrNoSession is the error of a connection through a pooler that gives each transaction, or each
// statement, another connection to the server.
var ErrNoSession = errors.New("the connection pooler in front of the database does not keep sessions: set pool_mode = session " +
	"in PgBouncer, or give the address of the database itself as --database-url (KONTOR_DATABASE_URL)")

// probes is how often transactions of two clients are compared.
const probes = 5

// CheckPooler returns ErrNoSession if the URL is that of a connection pooler that does not keep
// sessions. It ignores a database that cannot be reached.
func CheckPooler(ctx context.Context, databaseURL string) error {
	conn, err := connectAs(ctx, databaseURL, probeName)
	if err != nil {
		return ctx.Err()
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	pid, err := backend(ctx, conn)
	if err == nil {
		err = checkPooler(ctx, conn, pid)
	}
	if errors.Is(err, ErrNoSession) {
		return err
	}
	return ctx.Err()
}

// checkPooler compares the connection, whose server process is pid, with a second one if it is to a pooler: that
// tells its clients ids of its own, by which they cancel statements.
func checkPooler(ctx context.Context, conn *pgx.Conn, pid uint32) error {
	if pid == conn.PgConn().PID() {
		return nil
	}
	other, err := pgx.ConnectConfig(ctx, conn.Config())
	if err != nil {
		return fmt.Errorf("connect once more to the connection pooler: %w", err)
	}
	defer func() { _ = other.Close(context.WithoutCancel(ctx)) }()
	for range probes {
		moved, err := moves(ctx, conn, other)
		if moved || isState(err, protocolViolation) { // there are no transactions
			return ErrNoSession
		}
		if err != nil {
			return err
		}
	}
	return nil
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

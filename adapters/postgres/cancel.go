package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// cancelDelay is how long a cancelled statement may take to end; after that its
// connection is closed.
const cancelDelay = time.Second

// cancelHandler cancels the statement of a cancelled request in the database, and keeps
// its connection.
func (c Config) cancelHandler(conn *pgconn.PgConn) ctxwatch.Handler {
	if c.Pooled {
		return &pooledCancel{conn: conn}
	}
	return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelDelay}
}

// pooledCancel cancels a statement through a connection pooler.
//
// Chose to wait until the pooler closes the connection of the cancel request, also if the
// statement has ended before, as pgx's own handler does not. Because: PgBouncer 1.18 exits
// if its client closes that connection first (pgbouncer issue 801, fixed by 1.20). Costs:
// a goroutine and a socket for some milliseconds longer.
type pooledCancel struct {
	conn     *pgconn.PgConn
	finished chan struct{}
}

// The limits of a cancel request. PgBouncer closes one that it cannot send after 10 s
// (cancel_wait_timeout). The pause afterwards keeps a delayed signal from cancelling the
// next statement.
const (
	cancelTimeout  = 15 * time.Second
	cancelSettling = 100 * time.Millisecond
)

func (h *pooledCancel) HandleCancel(context.Context) {
	finished := make(chan struct{})
	h.finished = finished
	_ = h.conn.Conn().SetDeadline(time.Now().Add(cancelDelay))
	go func() {
		defer close(finished)
		ctx, cancel := context.WithTimeout(context.Background(), cancelTimeout)
		defer cancel()
		_ = h.conn.CancelRequest(ctx)
		time.Sleep(cancelSettling)
	}()
}

// HandleUnwatchAfterCancel implements ctxwatch.Handler. A connection whose cancel request
// is still on its way is closed, because it would cancel the next statement.
func (h *pooledCancel) HandleUnwatchAfterCancel() {
	select {
	case <-h.finished:
		_ = h.conn.Conn().SetDeadline(time.Time{})
	case <-time.After(cancelDelay):
		_ = h.conn.Conn().Close()
	}
}

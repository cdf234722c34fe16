package postgres

import (
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/domain/fault"
)

// unreplicated is the error of a commit that no synchronous replica has confirmed.
var unreplicated = fault.New(fault.OutcomeUnknown,
	"the change is stored, but no synchronous replica has confirmed it, so that a failover may lose it; retry with the same Idempotency-Key")

// isUnreplicated is the key of a connection's data for whether a commit was not confirmed.
const isUnreplicated = "unreplicated"

// noteUnreplicated handles the notices of a connection. If a commit is cancelled while it waits for a
// synchronous replica, because its request has ended, PostgreSQL leaves it committed and reports
// success, with a warning that has no code of its own: it is recognized by the function in the
// server's source that waits.
func noteUnreplicated(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[isUnreplicated] = true
	}
}

// takeUnreplicated reports whether a commit was not confirmed since it was last called.
func takeUnreplicated(conn *pgconn.PgConn) bool {
	data := conn.CustomData()
	_, is := data[isUnreplicated]
	delete(data, isUnreplicated)
	return is
}

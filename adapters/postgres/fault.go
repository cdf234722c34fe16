package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/kontor-crm/kontor/domain/fault"
)

// Side is the side of a foreign key that a statement changes. The error of the database names
// the same constraint for both.
type Side uint8

// The sides.
const (
	Storing  Side = iota // a referencing row is stored
	Removing             // a referenced row is removed
)

// The SQLSTATEs that are handled; see
// https://www.postgresql.org/docs/current/errcodes-appendix.html.
const (
	protocolViolation    = "08P01" // PgBouncer's errors have it too
	invalidParameter     = "22023"
	notNullViolation     = "23502"
	foreignKeyViolation  = "23503"
	uniqueViolation      = "23505"
	checkViolation       = "23514"
	readOnlyTransaction  = "25006"
	idleInTransaction    = "25P03"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	undefinedTable       = "42P01"
	lockNotAvailable     = "55P03"
	queryCanceled        = "57014"
	adminShutdown        = "57P01"
	crashShutdown        = "57P02"
	internalError        = "XX000"
)

// Fault translates an error of the database into an error of package fault, by its SQLSTATE
// and the name of the constraint, never by its text. It returns other errors unchanged.
func Fault(err error, side Side) error {
	if err == nil || fault.As(err) != nil {
		return err
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && !connecting {
		return faultOf(pg, side, err)
	}
	if !errors.Is(err, context.Canceled) && isOutage(err) {
		return unavailable.WithCause(err)
	}
	return err
}

// IsConnectError reports whether no connection to the database could be made.
func IsConnectError(err error) bool {
	_, ok := errors.AsType[*pgconn.ConnectError](err)
	return ok
}

// Refusal returns why a server that was reached refused a connection, such as for a wrong password or a missing
// database; "" if none was reached.
func Refusal(err error) string {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || !IsConnectError(err) {
		return ""
	}
	return pg.Message
}

// Unreachable returns in plain words why no server was reached, with its address; "" for another error, and if there are
// several servers.
func Unreachable(err error) string {
	failed, ok := errors.AsType[*pgconn.ConnectError](err)
	several := func(f *pgconn.FallbackConfig) bool {
		return f.Host != failed.Config.Host || f.Port != failed.Config.Port
	}
	if !ok || slices.ContainsFunc(failed.Config.Fallbacks, several) {
		return ""
	}
	_, address := pgconn.NetworkAddress(failed.Config.Host, failed.Config.Port)
	unknown, isName := errors.AsType[*net.DNSError](err)
	timeout, isNet := errors.AsType[net.Error](err)
	_, isForeign := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at " + address + ": connection refused"
	case errors.Is(err, syscall.ENOENT):
		return "there is no socket " + address
	case isName && unknown.IsNotFound:
		return "there is no host " + failed.Config.Host
	case isNet && timeout.Timeout():
		return "no PostgreSQL server answers in time at " + address
	case isForeign:
		return "what listens at " + address + " is no PostgreSQL server"
	}
	return ""
}

// IsLockTimeout reports whether a statement waited for a lock longer than the lock timeout.
func IsLockTimeout(err error) bool { return isState(err, lockNotAvailable) }

// IsStatementTimeout reports whether the database canceled a statement: because of the
// statement timeout or, if none is set, on request of an operator.
func IsStatementTimeout(err error) bool { return isState(err, queryCanceled) }

// IsDeadlock reports whether the database aborted the transaction to resolve a deadlock.
func IsDeadlock(err error) bool { return isState(err, deadlockDetected) }

func isState(err error, states ...string) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains(states, pg.Code)
}

// isOutage reports whether the database could not be reached, or not in time.
func isOutage(err error) bool {
	_, connect := errors.AsType[*pgconn.ConnectError](err)
	return connect || errors.Is(err, context.DeadlineExceeded) || isBroken(err)
}

// isBroken reports whether the connection broke, before anything was sent or while
// waiting for a response.
func isBroken(err error) bool {
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting {
		return false
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == adminShutdown || pg.Code == crashShutdown
	}
	_, network := errors.AsType[net.Error](err)
	return network || pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

var (
	unavailable = fault.New(fault.Unavailable, "the database cannot be reached; try again")
	tooBusy     = fault.New(fault.Unavailable, "the database is too busy for this; try again")
	unknown     = fault.New(fault.OutcomeUnknown, "the connection broke while the change was stored, and the outcome is unknown; "+
		"retry with the same Idempotency-Key")
)

// shardName is a name on a worker of Citus: that of the coordinator and the number of a shard.
var shardName = regexp.MustCompile(`([a-z][a-z0-9_]*)_[0-9]+\b`)

// constraintName is the name of the violated constraint. Citus passes an error of a worker on
// without that field, so that it has to be found in the text, whatever its language is.
func constraintName(pg *pgconn.PgError) string {
	if _, ok := translated(pg.ConstraintName); ok {
		return pg.ConstraintName
	}
	text := pg.ConstraintName // on a connection to a worker
	if text == "" {
		text = pg.Message
	}
	for _, name := range shardName.FindAllStringSubmatch(text, -1) {
		if _, ok := translated(name[1]); ok {
			return name[1]
		}
	}
	return pg.ConstraintName
}

// isOvertaken reports whether the change of a list has no batch: its batch was folded by
// another transaction before this one could write to it. Citus passes an error of a worker
// on without the name of the column, and that of rows that it copies there without its code.
func isOvertaken(pg *pgconn.PgError) bool {
	return (pg.Code == notNullViolation || pg.Code == internalError) && strings.Contains(pg.Message, `"batch_id"`)
}

func faultOf(pg *pgconn.PgError, side Side, err error) error {
	switch pg.Code {
	case foreignKeyViolation, uniqueViolation, checkViolation:
		name := constraintName(pg)
		c, ok := translated(name)
		if !ok {
			return fmt.Errorf("constraint %s has no translation: %w", name, err)
		}
		return c.fault(side, err)
	case readOnlyTransaction: // a standby, such as after a failover
		return unavailable.WithCause(err)
	case notNullViolation, internalError:
		if isOvertaken(pg) {
			return tooBusy.WithCause(err)
		}
		return err
	case lockNotAvailable, queryCanceled, idleInTransaction, serializationFailure, deadlockDetected:
		return tooBusy.WithCause(err)
	}
	switch pg.Code[:2] {
	case "08", "57": // the connection, the operator
		return unavailable.WithCause(err)
	case "53": // resources
		return tooBusy.WithCause(err)
	}
	return err
}

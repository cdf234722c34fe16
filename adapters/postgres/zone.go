package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/ports/company"
)

// ErrNoZone is the error for a database that has no time zone yet.
var ErrNoZone = errors.New("the database has no time zone yet: the first start of kontor serve records the one it is given")

// ZoneMismatch is the error of a service with another time zone than the database.
type ZoneMismatch struct {
	Stored string // in the database
	Given  string // by the operator, or by default
}

func (e ZoneMismatch) Error() string {
	return fmt.Sprintf("the time zone of the database is %s, and this start is in %s: "+
		"give --timezone %s (KONTOR_TIMEZONE), or change the database with kontor timezone set %s",
		e.Stored, e.Given, e.Stored, e.Given)
}

// RecordZone stores the zone in a migrated database that has none yet. The error is a
// ZoneMismatch if the database has another zone, and a TooOld if it requires a newer program. Of
// concurrent first calls, the first one stores its zone, and the others are compared with it. A
// zone that the database does not know is an error and not stored.
func RecordZone(ctx context.Context, databaseURL, zone string) error {
	return withConnIn(ctx, databaseURL, zone, func(conn *pgx.Conn) error {
		err := pgx.BeginTxFunc(ctx, conn, readCommitted, func(tx pgx.Tx) error {
			stored, err := tx.Exec(ctx, `
insert into settings (name, value)
values ('timezone', $1)
on conflict (name) do nothing`, zone)
			if err != nil || stored.RowsAffected() == 0 {
				return err
			}
			return updateMonths(ctx, tx)
		})
		if err != nil {
			return fmt.Errorf("store the time zone: %w", Fault(err, Storing))
		}
		return checkSettings(ctx, conn, zone)
	})
}

// SetZone stores the zone in a migrated database, whatever it was before, and updates what
// depends on it: the months of payments at once, and the totals of lists by marking them for a
// rebuild, until which they are not read. It ends the connections of running services, which can
// only reconnect with the new zone; behind a connection pooler they notice the change within
// recheckInterval, for which it waits.
func SetZone(ctx context.Context, databaseURL, zone string) error {
	return withConnIn(ctx, databaseURL, zone, func(conn *pgx.Conn) error {
		err := pgx.BeginTxFunc(ctx, conn, readCommitted, func(tx pgx.Tx) error { return storeZone(ctx, tx, zone) })
		if err != nil {
			return fmt.Errorf("store the time zone: %w", Fault(err, Storing))
		}
		if err := endServices(ctx, conn); err != nil {
			return fmt.Errorf("end the connections in another time zone: %w", Fault(err, Storing))
		}
		// Services could write until now, in the former zone.
		if err := pgx.BeginTxFunc(ctx, conn, readCommitted, func(tx pgx.Tx) error { return updateMonths(ctx, tx) }); err != nil {
			return fmt.Errorf("update the months of payments: %w", Fault(err, Storing))
		}
		return nil
	})
}

// storeZone stores the zone, which is the connection's, and updates what depends on it.
func storeZone(ctx context.Context, tx pgx.Tx, zone string) error {
	_, err := tx.Exec(ctx, `
insert into settings (name, value)
values ('timezone', $1)
on conflict (name) do update
set value = excluded.value`, zone)
	if err != nil {
		return err
	}
	return updateMonths(ctx, tx)
}

// SetCompanyZone stores the zone of a company in the transaction, and updates what depends on it.
// It has to be repeated after all services have noticed the change, because until then they write
// in the former zone.
func SetCompanyZone(ctx context.Context, tx pgx.Tx, code company.Code, zone string) error {
	if err := enterCompany(ctx, tx, code, zone); err != nil {
		return err
	}
	return storeZone(ctx, tx, zone)
}

// enterCompany makes the tables and the zone of the company those of the transaction.
func enterCompany(ctx context.Context, tx pgx.Tx, code company.Code, zone string) error {
	_, err := tx.Exec(ctx, "select set_config('search_path', $1, true), set_config('TimeZone', $2, true)", code.Schema(), zone)
	if isState(err, invalidParameter) {
		return fmt.Errorf("the database does not know the time zone %s: %w", zone, err)
	}
	return err
}

// updateMonths sets the month of each payment in the connection's zone, and has the
// totals of lists rebuilt if there are invoices.
func updateMonths(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `
update invoices
set paid_month = `+paidMonth+`
where paid_on is not null and paid_month <> `+paidMonth)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
update read_model_state
set lists_ready = false, invalidations = invalidations + 1
where exists (select from invoices)`)
	return err
}

var paidMonth = listdef.Month("paid_on")

// endServices ends the connections of all services, and those that services behind a
// connection pooler still used afterwards.
func endServices(ctx context.Context, conn *pgx.Conn) error {
	ended, err := endConnections(ctx, conn)
	if err != nil || ended == 0 {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(recheckInterval):
	}
	_, err = endConnections(ctx, conn)
	return err
}

// endConnections terminates the connections that are named as those of services, waits
// until they are closed, and returns how many there were.
func endConnections(ctx context.Context, conn *pgx.Conn) (ended int, err error) {
	rows, err := conn.Query(ctx, `
select pid, pg_terminate_backend(pid)
from pg_stat_activity
where datname = current_database() and application_name = '`+poolName+`'`)
	if err != nil {
		return 0, err
	}
	var pids []int32
	var pid int32
	if _, err := pgx.ForEachRow(rows, []any{&pid, nil}, func() error {
		pids = append(pids, pid)
		return nil
	}); err != nil {
		return 0, err
	}
	for range 1000 {
		var left bool
		err := conn.QueryRow(ctx, "select exists (select from pg_stat_activity where pid = any($1))", pids).Scan(&left)
		if err != nil || !left {
			return len(pids), err
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return 0, errors.New("the connections are still open; try again")
}

// Zone returns the zone of a migrated database; ErrNoZone if it has none.
func Zone(ctx context.Context, databaseURL string) (zone string, err error) {
	err = withConnIn(ctx, databaseURL, "UTC", func(conn *pgx.Conn) error {
		stored, err := settings(ctx, conn)
		if err != nil {
			return err
		}
		var has bool
		if zone, has = stored["timezone"]; !has {
			return ErrNoZone
		}
		return nil
	})
	return zone, err
}

// checkSettings returns a ZoneMismatch if the database has another zone, and a TooOld if
// it requires a newer program; nil if it has no settings yet.
func checkSettings(ctx context.Context, conn querier, zone string) error {
	stored, err := settings(ctx, conn)
	if isState(err, undefinedTable) {
		return nil
	}
	if err != nil {
		return err
	}
	if minimum, ok := stored["minimum_version"]; ok {
		if err := checkVersion(minimum); err != nil {
			return err
		}
	}
	if of, ok := stored["timezone"]; ok && of != zone {
		return ZoneMismatch{Stored: of, Given: zone}
	}
	return nil
}

func settings(ctx context.Context, conn querier) (map[string]string, error) {
	rows, err := conn.Query(ctx, `
select name, value
from settings`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	stored := map[string]string{}
	var name, value string
	if _, err := pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		stored[name] = value
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	return stored, nil
}

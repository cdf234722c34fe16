package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/ports/tenant"
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
		s, err := readStated(ctx, conn)
		if err != nil {
			return err
		}
		return s.check(zone)
	})
}

// ErrServing is the error for a change that no service may run beside.
var ErrServing = errors.New("a service is connected to the database: stop all services first, and start them again afterwards")

// SetZone stores the zone in a migrated database, whatever it was before, and updates what
// depends on it: the months of payments at once, and the totals of lists by marking them for a
// rebuild, until which they are not read. It does nothing if the database has the zone. The error is ErrServing
// while a service is connected.
func SetZone(ctx context.Context, databaseURL, zone string) error {
	return withConnIn(ctx, databaseURL, zone, func(conn *pgx.Conn) error {
		err := pgx.BeginTxFunc(ctx, conn, readCommitted, func(tx pgx.Tx) error { return storeZone(ctx, tx, zone) })
		if err != nil {
			return fmt.Errorf("store the time zone: %w", Fault(err, Storing))
		}
		return nil
	})
}

// storeZone stores the zone, which is the connection's, and updates what depends on it.
func storeZone(ctx context.Context, tx pgx.Tx, zone string) error {
	var isServing, isStored bool
	err := tx.QueryRow(ctx, `
select
    exists (
        select
        from pg_stat_activity
        where datname = current_database() and application_name = $1
    ),
    exists (
        select
        from settings
        where name = 'timezone' and value = $2
    )`, ServiceName, zone).Scan(&isServing, &isStored)
	switch {
	case err != nil, isStored:
		return err
	case isServing:
		return ErrServing
	}
	_, err = tx.Exec(ctx, `
insert into settings (name, value)
values ('timezone', $1)
on conflict (name) do update
set value = excluded.value`, zone)
	if err != nil {
		return err
	}
	return updateMonths(ctx, tx)
}

// SetTenantZone stores the zone of a company in the transaction, and updates what depends on it: see SetZone.
func SetTenantZone(ctx context.Context, tx pgx.Tx, code tenant.Code, zone string) error {
	if err := enterTenant(ctx, tx, code, zone); err != nil {
		return err
	}
	return storeZone(ctx, tx, zone)
}

// enterTenant makes the tables and the zone of the company those of the transaction.
func enterTenant(ctx context.Context, tx pgx.Tx, code tenant.Code, zone string) error {
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
set is_ready = false
where exists (select from invoices)`)
	return err
}

var paidMonth = listdef.Month("paid_on")

// Zone returns the zone of a migrated database; ErrNoZone if it has none.
func Zone(ctx context.Context, databaseURL string) (zone string, err error) {
	err = withConnIn(ctx, databaseURL, "UTC", func(conn *pgx.Conn) error {
		s, err := readStated(ctx, conn)
		switch {
		case err != nil:
			return err
		case s.zone == nil:
			return ErrNoZone
		}
		zone = *s.zone
		return nil
	})
	return zone, err
}

// HasUsers reports whether a migrated database has any user.
func HasUsers(ctx context.Context, databaseURL string) (has bool, err error) {
	err = withConnIn(ctx, databaseURL, "UTC", func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "select exists (select from users)").Scan(&has)
	})
	return has, err
}

// stated is what the settings of a database say of it; nil if they say nothing.
type stated struct{ minimum, zone *string }

// statedColumns are the fields of stated in a statement.
const statedColumns = `(select value from settings where name = 'minimum_version'), (select value from settings where name = 'timezone')`

func readStated(ctx context.Context, conn *pgx.Conn) (s stated, err error) {
	if err := conn.QueryRow(ctx, "select "+statedColumns, pgx.QueryExecModeSimpleProtocol).Scan(&s.minimum, &s.zone); err != nil {
		return s, fmt.Errorf("read the settings: %w", err)
	}
	return s, nil
}

// check returns a ZoneMismatch if the database has another zone, and a TooOld if it requires a newer program.
func (s stated) check(zone string) error {
	if s.minimum != nil {
		if err := checkVersion(*s.minimum); err != nil {
			return err
		}
	}
	if s.zone != nil && *s.zone != zone {
		return ZoneMismatch{Stored: *s.zone, Given: zone}
	}
	return nil
}

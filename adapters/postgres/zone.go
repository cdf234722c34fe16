package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrNoZone says that nobody has kept a zone in the database yet.
var ErrNoZone = errors.New("the database has no time zone yet: the first start of kontor serve keeps the one it is given")

// OtherZone is the error of a start in another zone than the database's.
type OtherZone struct {
	Kept  string // in the database
	Given string // by the operator, or by default
}

func (e OtherZone) Error() string {
	return fmt.Sprintf("the database is kept in the time zone %s, and this start is in %s: "+
		"give --timezone %s (KONTOR_TIMEZONE), or change the database with kontor timezone set %s",
		e.Kept, e.Given, e.Kept, e.Given)
}

// KeepZone keeps the zone in a migrated database that has none yet, and is an
// OtherZone if it has another, a TooOld if it takes newer programs only. Of several that come first at once, one wins and
// the others are compared with it. A zone that the database does not know is
// an error, and is not kept.
func KeepZone(ctx context.Context, databaseURL, zone string) error {
	return withZoned(ctx, databaseURL, zone, func(conn *pgx.Conn) error {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			kept, err := tx.Exec(ctx, `
insert into settings (name, value)
values ('timezone', $1)
on conflict (name) do nothing`, zone)
			if err != nil || kept.RowsAffected() == 0 {
				return err
			}
			return moveMonths(ctx, tx)
		})
		if err != nil {
			return fmt.Errorf("keep the time zone: %w", Fault(err, Storing))
		}
		return checkKept(ctx, conn, zone)
	})
}

// SetZone keeps the zone in a migrated database, whatever it had before, and
// brings what depends on it into the zone: the months that invoices were paid in,
// at once, and the totals of lists, which the service makes anew and does without
// until then. A service that runs loses its connections, and gets no new ones
// unless it is in the zone.
func SetZone(ctx context.Context, databaseURL, zone string) error {
	return withZoned(ctx, databaseURL, zone, func(conn *pgx.Conn) error {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `
insert into settings (name, value)
values ('timezone', $1)
on conflict (name) do update
set value = excluded.value`, zone)
			if err != nil {
				return err
			}
			return moveMonths(ctx, tx)
		})
		if err != nil {
			return fmt.Errorf("keep the time zone: %w", Fault(err, Storing))
		}
		if err := endConnections(ctx, conn); err != nil {
			return fmt.Errorf("end the connections in another time zone: %w", Fault(err, Storing))
		}
		// They could write until now, in their zone.
		if err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return moveMonths(ctx, tx) }); err != nil {
			return fmt.Errorf("bring payments into the time zone: %w", Fault(err, Storing))
		}
		return nil
	})
}

// moveMonths has each payment fall into its month of the connection's zone, and
// the totals of lists made anew if there are invoices.
func moveMonths(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `
update invoices
set paid_month = extract(year from paid_on) * 12 + extract(month from paid_on) - 1
where paid_on is not null and paid_month <> extract(year from paid_on) * 12 + extract(month from paid_on) - 1`)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
update read_model_state
set lists_ready = false
where exists (select from invoices)`)
	return err
}

// endConnections ends those of all services, and waits until they are gone.
func endConnections(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `
select pid, pg_terminate_backend(pid)
from pg_stat_activity
where datname = current_database() and application_name = '`+poolName+`'`)
	if err != nil {
		return err
	}
	var pids []int32
	var pid int32
	if _, err := pgx.ForEachRow(rows, []any{&pid, nil}, func() error {
		pids = append(pids, pid)
		return nil
	}); err != nil {
		return err
	}
	for range 1000 {
		var left bool
		err := conn.QueryRow(ctx, "select exists (select from pg_stat_activity where pid = any($1))", pids).Scan(&left)
		if err != nil || !left {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return errors.New("the database does not end them; try again")
}

// Zone is the zone that a migrated database is kept in; ErrNoZone if it has
// none.
func Zone(ctx context.Context, databaseURL string) (zone string, err error) {
	err = withZoned(ctx, databaseURL, "UTC", func(conn *pgx.Conn) error {
		kept, err := settings(ctx, conn)
		if err != nil {
			return err
		}
		var has bool
		if zone, has = kept["timezone"]; !has {
			return ErrNoZone
		}
		return nil
	})
	return zone, err
}

// checkKept is an OtherZone if the database is kept in another zone, and a TooOld if
// it takes newer programs only. One that has no zone, or is not migrated that far,
// has no other.
func checkKept(ctx context.Context, conn *pgx.Conn, zone string) error {
	kept, err := settings(ctx, conn)
	if pg, _ := errors.AsType[*pgconn.PgError](err); pg != nil && pg.Code == undefinedTable {
		return nil
	}
	if err != nil {
		return err
	}
	if minimum, ok := kept["minimum_version"]; ok {
		if err := checkVersion(minimum); err != nil {
			return err
		}
	}
	if of, ok := kept["timezone"]; ok && of != zone {
		return OtherZone{Kept: of, Given: zone}
	}
	return nil
}

// settings are what holds for the database as a whole, by name.
func settings(ctx context.Context, conn *pgx.Conn) (map[string]string, error) {
	rows, err := conn.Query(ctx, `
select name, value
from settings`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	kept := map[string]string{}
	var name, value string
	if _, err := pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		kept[name] = value
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	return kept, nil
}

// withZoned uses a connection in the zone, which the database refuses to make
// if it does not know the zone.
func withZoned(ctx context.Context, databaseURL, zone string, use func(*pgx.Conn) error) (err error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	config.RuntimeParams["application_name"] = zoneName
	config.RuntimeParams["timezone"] = zone
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect to the database in the time zone %s: %w", zone, err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	return use(conn)
}

package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
)

// The level of a program is the number of the newest migration that it knows. The
// connections of a service are named by it, so that those of older programs can be
// told. Before there were levels they were named serviceName alone, which counts as
// 0.
const serviceName = "kontor"

// isService is the condition that a row of pg_stat_activity is a connection of a
// service on this database, of whatever level.
const isService = `datname = current_database() and application_name ~ '^` + serviceName + `( [0-9]+)?$'`

// levelOf is the level of such a row; null if it is none.
const levelOf = `coalesce(
    substring(application_name from '^` + serviceName + ` ([0-9]{1,9})$')::integer,
    case application_name when '` + serviceName + `' then 0 end)`

// applicationName is by what the database knows the connections of this program's
// pools.
func applicationName() (string, error) {
	level, err := newestMigration()
	if err != nil {
		return "", err
	}
	return serviceName + " " + strconv.FormatInt(level, 10), nil
}

// TooOld is the error of a program that is below the level from which on the
// database takes programs.
type TooOld struct {
	Level  int64 // of this program
	Lowest int64 // that the database takes
}

func (e TooOld) Error() string {
	return fmt.Sprintf("this program is too old for the database, which takes those that know migration %d; this one knows up to %d: "+
		"use a newer program, or take migrations back with the newest one (kontor migrate down)", e.Lowest, e.Level)
}

// checkLevel is a TooOld if the lowest level that the database takes, as settings
// have it, is above this program's.
func checkLevel(lowest string) error {
	least, err := strconv.ParseInt(lowest, 10, 64)
	if err != nil {
		return fmt.Errorf("read the lowest level: %w", err)
	}
	level, err := newestMigration()
	if err == nil && level < least {
		err = TooOld{Level: level, Lowest: least}
	}
	return err
}

// HasOlder tells whether a service of a lower level is connected.
func HasOlder(ctx context.Context, pool *pgxpool.Pool, level int64) (older bool, err error) {
	err = pool.QueryRow(ctx, `
select exists (
    select
    from pg_stat_activity
    where datname = current_database() and `+levelOf+` < $1)`, level).Scan(&older)
	if err != nil {
		return false, fmt.Errorf("look for older programs: %w", Fault(err, Storing))
	}
	return older, nil
}

// Require has the database take programs from the level on, and none below, if none
// below is connected; met tells whether that is so. Whoever got a connection before
// is seen by the second look, as the database lists a connection before it answers
// it. What a connection did that is gone from the list is stored or rolled back.
func Require(ctx context.Context, pool *pgxpool.Pool, level int64) (met bool, err error) {
	older, err := HasOlder(ctx, pool, level)
	if err != nil || older {
		return false, err
	}
	_, err = pool.Exec(ctx, `
insert into settings (name, value)
values ('lowest_level', $1::integer::text)
on conflict (name) do update
set value = excluded.value
where settings.value::integer < excluded.value::integer`, level)
	if err != nil {
		return false, fmt.Errorf("raise the lowest level: %w", Fault(err, Storing))
	}
	older, err = HasOlder(ctx, pool, level)
	return err == nil && !older, err
}

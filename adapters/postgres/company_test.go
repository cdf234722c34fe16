package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/tenant"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// branches is a pool with a connection or two, and companies whose table has their number. The default company is 0.
func branches(t *testing.T, connections int32, share int) []*postgres.DB {
	t.Helper()
	database := pgtest.URL(t)
	admin := pgtest.Pool(t, database)
	execute(t, admin, "create table own as select 0 as number")
	pool, err := postgres.OpenPool(t.Context(), postgres.Config{
		URL: database, Zone: "UTC", MaxConns: connections, StatementTimeout: 20 * time.Second, LockTimeout: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	all := []*postgres.DB{pool.Company("", "UTC", share)}
	for n := 1; n < 3; n++ {
		code := tenant.Code(fmt.Sprintf("0000000%d", n))
		execute(t, admin, fmt.Sprintf("create schema %[1]s; create table %[1]s.own as select %[2]d as number", code.Schema(), n))
		all = append(all, pool.Company(code, fmt.Sprintf("Etc/GMT-%d", n), share))
	}
	execute(t, admin, "create table public.other as select 7 as number")
	return all
}

// ways are all ways in which a company reads its number and its time zone.
var ways = map[string]func(ctx context.Context, db *postgres.DB, sql string) (number int, zone string, err error){
	"a statement": func(ctx context.Context, db *postgres.DB, sql string) (number int, zone string, err error) {
		rows, err := db.Query(ctx, sql)
		if err == nil {
			_, err = pgx.ForEachRow(rows, []any{&number, &zone}, func() error { return nil })
		}
		return number, zone, err
	},
	"a row": func(ctx context.Context, db *postgres.DB, sql string) (number int, zone string, err error) {
		err = db.QueryRow(ctx, sql).Scan(&number, &zone)
		return number, zone, err
	},
	"a transaction": func(ctx context.Context, db *postgres.DB, sql string) (number int, zone string, err error) {
		err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error { return tx.QueryRow(ctx, sql).Scan(&number, &zone) })
		return number, zone, err
	},
	"the beginning of a unit of work": func(ctx context.Context, db *postgres.DB, sql string) (number int, zone string, err error) {
		err = postgres.InTransactionAfter(ctx, db, func(b *pgx.Batch) {
			b.Queue(sql).QueryRow(func(row pgx.Row) error { return row.Scan(&number, &zone) })
		}, func(context.Context, pgx.Tx) error { return nil })
		return number, zone, err
	},
	"a batch": func(ctx context.Context, db *postgres.DB, sql string) (number int, zone string, err error) {
		err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
			var b pgx.Batch
			b.Queue(sql).QueryRow(func(row pgx.Row) error { return row.Scan(&number, &zone) })
			return tx.SendBatch(ctx, &b).Close()
		})
		return number, zone, err
	},
}

const ownNumber = "select number, current_setting('TimeZone') from own"

// contract 14.4, 14.79
func TestCompaniesOnOneConnectionSeeTheirOwnRecordsAlone(t *testing.T) {
	t.Parallel()
	all := branches(t, 1, 0)
	for way, read := range ways {
		for range 3 {
			for n, db := range all {
				number, zone, err := read(t.Context(), db, ownNumber)
				if err != nil || number != n || zone != db.Zone() {
					t.Errorf("%s of company %d: %d, %s, %v", way, n, number, zone, err)
				}
			}
		}
	}
	if _, err := all[1].Exec(t.Context(), "select from other"); err == nil {
		t.Error("a table of the default company is read")
	}
	if _, err := all[0].Exec(t.Context(), "select from other"); err != nil {
		t.Errorf("after an error of another company: %v", err)
	}
}

// contract 14.79, 3.31
func TestCompaniesSeeTheirOwnRecordsWhileCallersLeave(t *testing.T) {
	t.Parallel()
	all := branches(t, 2, 0)
	var callers sync.WaitGroup
	for n, db := range all {
		for way, read := range ways {
			callers.Go(func() {
				for range 20 {
					number, zone, err := readAgain(t.Context(), db, read)
					if err != nil || number != n || zone != db.Zone() {
						t.Errorf("%s of company %d: %d, %s, %v", way, n, number, zone, err)
					}
				}
			})
		}
		callers.Go(func() {
			for range 4 {
				ctx, leave := context.WithTimeout(t.Context(), 10*time.Millisecond)
				if _, err := db.Exec(ctx, "select pg_sleep(10)"); err == nil {
					t.Error("the statement was not canceled")
				}
				leave()
			}
		})
	}
	callers.Wait()
}

// readAgain reads as readers do.
func readAgain(
	ctx context.Context, db *postgres.DB, read func(context.Context, *postgres.DB, string) (int, string, error),
) (number int, zone string, err error) {
	_, err = postgres.Repeat(ctx, db, func() (struct{}, error) {
		number, zone, err = read(ctx, db, ownNumber)
		return struct{}{}, err
	})
	return number, zone, err
}

// contract 14.79
func TestConnectionIsClosedIfItCannotServeTheCompany(t *testing.T) {
	t.Parallel()
	all := branches(t, 1, 0)
	pid := func() uint32 {
		var pid uint32
		if err := all[0].QueryRow(t.Context(), "select pg_backend_pid()").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	before := pid()
	if _, err := all[0].Pool().Company("00000009", "Nowhere/Land", 0).Exec(t.Context(), "select"); err == nil {
		t.Error("a company is served in a time zone that does not exist")
	}
	if pid() == before {
		t.Error("its connection serves another one")
	}
}

// contract 14.79
func TestStatementsKeepTheirPlansByCompany(t *testing.T) {
	t.Parallel()
	all := branches(t, 1, 0)
	const uses = 4
	for range uses {
		for _, db := range all {
			for _, read := range ways {
				if _, _, err := read(t.Context(), db, ownNumber); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	texts := column[string](t, all[0], "select statement from pg_prepared_statements where statement like '%from own' and generic_plans + custom_plans = $1",
		uses*len(ways))
	if len(texts) != len(all) {
		t.Errorf("the statements %q are kept, want one for each of %d companies", texts, len(all))
	}
}

// contract 14.41
func TestCompanyHoldsAtMostItsShare(t *testing.T) {
	t.Parallel()
	all := branches(t, 4, 2)
	var held []pgx.Tx
	for range 2 {
		tx, err := all[1].Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, tx)
	}
	before := all[1].Pool().State()
	ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer leave()
	if _, err := all[1].Exec(ctx, "select"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a third connection of the company: %v", err)
	}
	if after := all[1].Pool().State(); after.Waits != before.Waits+1 || after.Waited <= before.Waited {
		t.Errorf("the state does not show the wait: %+v, %+v before", after, before)
	}
	execute(t, all[2], "select")
	if err := held[0].Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, all[1], "select")
	if err := held[1].Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

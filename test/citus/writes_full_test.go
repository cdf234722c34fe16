//go:build full

package citus_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/testserver"
)

// client adds a client and returns its id.
func (o office) client() int64 {
	o.t.Helper()
	status, text := o.send(http.MethodPost, "/rest/client", `{"name":"x","type":1}`)
	if status != http.StatusOK {
		o.t.Fatalf("%d %s", status, text)
	}
	number, err := strconv.ParseInt(id.FindStringSubmatch(text)[1], 10, 64)
	if err != nil {
		o.t.Fatal(err)
	}
	return number
}

// contract 14.43, 15.11
func TestCompanyIsWrittenOnItsWorker(t *testing.T) {
	c, url, offices, _ := serveShared(t)
	bakery := offices[0]
	bakery.client()
	const writing = "select count(*) from pg_stat_activity where " + ofServices + " and query ~ '(clients|client_changes)_1'"
	await(t, c.Nodes[1].URL(shared.database), connections, some)
	if n := column[int64](t, c.Nodes[0].URL(shared.database), writing)[0]; n != 0 {
		t.Errorf("%d connections to the coordinator have written the client", n)
	}
	var prepared int64
	for range 10 { // whichever connection it is
		bakery.client()
		prepared += column[int64](t, c.Nodes[1].URL(shared.database), "select count(*) from pg_prepared_xacts")[0]
	}
	if prepared != 0 {
		t.Errorf("%d writes were committed in two phases", prepared)
	}
	schema := bakery.code.Schema()
	execute(t, url, "update "+schema+".rule_set set version = version + 1000")
	bakery.client() // runs again
	await(t, url, "select count(*) from "+schema+".client_changes where batch_id >= (select oldest_open_batch from "+schema+".read_model_state)", none)
}

// Two instances write on the worker and a third one through the coordinator, before and after a move
// that is not Kontor's own.
//
// contract 15.13
func TestNumbersAscendOnWhicheverNodeTheyAreDrawn(t *testing.T) {
	c, url, offices, _ := serveShared(t)
	one, two, central := offices[0], offices[0], offices[0]
	two.url = testserver.On(t, url).URL
	central.url = testserver.On(t, url, func(c *bootstrap.Config) { c.CitusDirect = false }).URL
	last := one.client()
	first := last
	next := func(o office) {
		t.Helper()
		number := o.client()
		if number <= last {
			t.Errorf("a client has the number %d, and the one before has %d", number, last)
		}
		last = number
	}
	all := func() {
		t.Helper()
		for _, o := range []office{two, central, one, two, one, central} {
			next(o)
		}
	}
	all()
	for _, o := range []office{one, central} { // a number is not used again
		if status, text := o.send(http.MethodDelete, fmt.Sprint("/rest/client/", last), ""); status >= 300 {
			t.Fatalf("%d %s", status, text)
		}
		next(o)
	}
	moveAtOnce(t, c, url, one, 2)
	if status, text := two.send(http.MethodDelete, fmt.Sprint("/rest/client/", last), ""); status >= 300 {
		t.Fatalf("%d %s", status, text)
	}
	all()
	if last-first > 50 {
		t.Errorf("some 20 clients have the numbers from %d to %d", first, last)
	}
}

// pools opens the tables of the company on the node, and through the coordinator.
func pools(t *testing.T, url string, o office, at func(*postgres.CompanyPool) *postgres.Shards) (direct, central postgres.DB) {
	t.Helper()
	pool, err := postgres.OpenCompanies(t.Context(), postgres.Config{
		URL: url, MaxConns: 4, Zone: "Asia/Tokyo", LockTimeout: 500 * time.Millisecond, StatementTimeout: time.Minute,
	}, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	of := o.company()
	return pool.DB(of, at(pool)), pool.DB(of, nil)
}

// insertType adds a type of deals, numbered as by the service.
func insertType(ctx context.Context, tx *postgres.Tx, name string) error {
	numbers, err := tx.Numbers(ctx, "deal_types")
	if err == nil {
		_, err = tx.Exec(ctx, "insert into deal_types (id, name, name_key) overriding user value values ($1, $2, $2)", numbers[0], name)
	}
	return err
}

// A transaction that has begun on the worker, or through the coordinator with a statement that only
// reads, ends before the tables are elsewhere.
//
// contract 15.4
func TestMoveWaitsForTransactions(t *testing.T) {
	c, url, offices, _ := serveShared(t)
	bakery := offices[0]
	direct, central := pools(t, url, bakery, func(p *postgres.CompanyPool) *postgres.Shards {
		_, shards := direct(t, c, p, bakery, 1)
		return shards
	})
	to := 2
	for name, db := range map[string]postgres.DB{"on the worker": direct, "through the coordinator": central} {
		t.Run(name, func(t *testing.T) {
			var move sync.WaitGroup
			runs := 0
			err := postgres.InTransaction(t.Context(), db, func(ctx context.Context, tx *postgres.Tx) error {
				runs++
				if err := tx.QueryRow(ctx, "select name from settings limit 1").Scan(new(string)); err != nil {
					return err
				}
				if runs == 1 {
					from := column[int64](t, url, "select count(*) from pg_dist_placement")[0]
					move.Go(func() { moveAtOnce(t, c, url, bakery, to) })
					waits := "select count(*) from pg_locks where locktype = 'advisory' and not granted"
					for range 3000 {
						if column[int64](t, url, waits)[0]+column[int64](t, c.Nodes[1].URL(shared.database), waits)[0]+column[int64](t, c.Nodes[2].URL(shared.database), waits)[0] > 0 {
							break
						}
						time.Sleep(10 * time.Millisecond)
					}
					if now := column[int64](t, url, "select count(*) from pg_dist_placement")[0]; now != from {
						t.Error("the tables are moved")
					}
				}
				return insertType(ctx, tx, name)
			})
			move.Wait()
			if err != nil {
				t.Fatal(err)
			}
			if runs != 1 {
				t.Errorf("the transaction has run %d times", runs)
			}
			if n := column[int64](t, url, "select count(*) from "+bakery.code.Schema()+".deal_types where name = $1", name)[0]; n != 1 {
				t.Errorf("%d rows are stored", n)
			}
			execute(t, url, "delete from "+bakery.code.Schema()+".deal_types where name = $1", name)
			moveAtOnce(t, c, url, bakery, 1)
		})
	}
}

// While the tables are being moved, a write waits; when they are elsewhere, it goes there.
//
// contract 15.4
func TestWriteDuringAMoveIsNotStoredInTheFormerTables(t *testing.T) {
	c, url, offices, _ := serveShared(t)
	bakery := offices[0]
	db, _ := pools(t, url, bakery, func(p *postgres.CompanyPool) *postgres.Shards {
		_, shards := direct(t, c, p, bakery, 1)
		return shards
	})
	write := func(name string) error {
		return postgres.InTransaction(t.Context(), db, func(ctx context.Context, tx *postgres.Tx) error {
			return insertType(ctx, tx, name)
		})
	}
	release := holdTable(t, c.Nodes[1].URL(shared.database), url, bakery.code.Schema()+".clients")
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	move, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := c.Nodes[2]
	if _, err := move.Exec(t.Context(), "select citus_schema_move($1::text::regnamespace, '127.0.0.1', $2::integer, 'block_writes')", bakery.code.Schema(), at.Port); err != nil {
		t.Fatal(err)
	}
	if err := write("during"); !postgres.IsLockTimeout(err) {
		t.Errorf("a write during the move ends with %v", err)
	}
	if err := move.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write("after"), write("later")); err != nil {
		t.Error(err)
	}
	release() // the former tables were still there
	if names := column[string](t, url, "select name from "+bakery.code.Schema()+".deal_types order by name"); fmt.Sprint(names) != "[after later]" {
		t.Errorf("stored are %v", names)
	}
	execute(t, url, "delete from "+bakery.code.Schema()+".deal_types")
}

package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/test/pgproxy"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// zonesOfCompanies are different, so that a connection shows whose it is.
var zonesOfCompanies = []string{"Europe/Berlin", "Asia/Tokyo", "UTC", "America/Lima", "Africa/Cairo"}

// addSchemas adds a schema for each company, with a table of settings that has its code.
func addSchemas(t testing.TB, databaseURL string, n int) []company.Company {
	t.Helper()
	pool := pgtest.Pool(t, databaseURL)
	var all []company.Company
	for i := range n {
		c := company.Company{Code: company.Code(fmt.Sprintf("c0%06x", i)), State: company.Active, TimeZone: zonesOfCompanies[i%len(zonesOfCompanies)]}
		schema := c.Code.Schema()
		if _, err := pool.Exec(t.Context(), "create schema "+schema+"; create table "+schema+".settings as select '"+string(c.Code)+"' as code"); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func openCompanies(t testing.TB, databaseURL string, connections int32) *postgres.CompanyPool {
	t.Helper()
	pool, err := postgres.OpenCompanies(t.Context(), postgres.Config{
		URL: databaseURL, MaxConns: connections, Zone: "UTC", StatementTimeout: 5 * time.Second, LockTimeout: 5 * time.Second,
	}, 100)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

const whose = "select code, current_setting('TimeZone'), current_setting('search_path') from settings where $1 > 0"

// checkWhose returns an error if the connection is not the company's alone.
func checkWhose(row pgx.Row, c company.Company) error {
	var code, zone, path string
	if err := row.Scan(&code, &zone, &path); err != nil {
		return err
	}
	if code != string(c.Code) || zone != c.TimeZone || path != "pg_catalog" {
		return fmt.Errorf("%w: company %s in %s is served by the connection of %s in %s with the path %s", errWrongCompany, c.Code, c.TimeZone, code, zone, path)
	}
	return nil
}

var errWrongCompany = errors.New("another company's connection")

// contract 14.40
func TestCompanyConnectionServesOneCompanyAfterTheOther(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	companies := addSchemas(t, database, 3)
	pool := openCompanies(t, database, 1)
	for i := range 12 {
		c := companies[i%3]
		db := pool.DB(c, nil)
		if err := checkWhose(db.QueryRow(t.Context(), whose, 1), c); err != nil {
			t.Fatal(err)
		}
		err := postgres.InTransaction(t.Context(), db, func(ctx context.Context, tx *postgres.Tx) error {
			b := &pgx.Batch{}
			b.Queue(whose, 1)
			results := tx.SendBatch(ctx, b)
			return errors.Join(checkWhose(results.QueryRow(), c), results.Close(), checkWhose(tx.QueryRow(ctx, whose, 1), c))
		})
		if err != nil {
			t.Fatal(err)
		}
		tx, err := db.BeginTx(t.Context(), pgx.TxOptions{AccessMode: pgx.ReadOnly})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(checkWhose(tx.QueryRow(t.Context(), whose, 1), c), tx.Rollback(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	if open, used := pool.Connections(); open != 1 || used != 0 {
		t.Errorf("%d connections are open, %d of them in use", open, used)
	}
}

// A statement with a table that is not qualified fails, also on a connection that another
// company has had for unqualified statements.
//
// contract 14.4, 14.40
func TestCompanyReadsNoTableThatIsNotQualified(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	companies := addSchemas(t, database, len(zonesOfCompanies)+1)
	one, other := companies[0], companies[len(zonesOfCompanies)]
	if one.TimeZone != other.TimeZone {
		t.Fatal("the companies have different zones, so that their connections are switched anyway")
	}
	for _, c := range companies {
		if _, err := pgtest.Pool(t, database).Exec(t.Context(), "create table "+c.Code.Schema()+".unknown as select '"+string(c.Code)+"' as code"); err != nil {
			t.Fatal(err)
		}
	}
	pool := openCompanies(t, database, 1)
	for _, c := range []company.Company{one, other, one} {
		conn, err := pool.DB(c, nil).Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var code string
		if err := conn.QueryRow(t.Context(), "select code from unknown").Scan(&code); err != nil || code != string(c.Code) {
			t.Errorf("unqualified statements of %s read %s: %v", c.Code, code, err)
		}
		conn.Release()
		for _, of := range []company.Company{one, other} {
			err := pool.DB(of, nil).QueryRow(t.Context(), "select code from unknown").Scan(&code)
			if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "42P01" {
				t.Errorf("%s reads a table of %s: %v", of.Code, code, err)
			}
		}
	}
}

// contract 15.11
func TestCompanyConnectionIsReplacedForAnotherNode(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	c := addSchemas(t, database, 1)[0]
	server, err := pgconn.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	c.Node = net.JoinHostPort(server.Host, strconv.Itoa(int(server.Port)))
	pool := openCompanies(t, database, 1)
	process := func(db postgres.DB) (pid int) {
		t.Helper()
		if err := db.QueryRow(t.Context(), "select pg_backend_pid()").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	there := pool.DB(c, postgres.ShardsAt(c.Node, "select 0", nil))
	central, direct, again := process(pool.DB(c, nil)), process(there), process(there)
	if central == direct {
		t.Error("a connection to the coordinator serves the worker")
	}
	if direct != again {
		t.Error("the connection to the worker is replaced by another one to it")
	}
	if process(pool.DB(c, nil)) == direct {
		t.Error("a connection to the worker serves the coordinator")
	}
}

// A connection is switched while it breaks, at every point, and while the request is
// cancelled; afterwards it serves neither the former company nor the next one wrongly.
//
// contract 14.40
func TestCompanyConnectionIsClosedWhenItsSwitchFails(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	companies := addSchemas(t, database, 2)
	one, other := companies[0], companies[1]
	for name, fails := range map[string]func(cancel func(), server, client net.Conn, message []byte){
		"broken before": func(_ func(), _, client net.Conn, _ []byte) { _ = client.Close() },
		"broken after": func(_ func(), server, client net.Conn, message []byte) {
			_, _ = server.Write(message)
			time.Sleep(20 * time.Millisecond) // it runs
			_ = client.Close()
		},
		"cancelled before": func(cancel func(), server, _ net.Conn, message []byte) {
			cancel()
			time.Sleep(20 * time.Millisecond) // the cancel request overtakes it
			_, _ = server.Write(message)
		},
		"cancelled after": func(cancel func(), server, _ net.Conn, message []byte) {
			_, _ = server.Write(message)
			cancel()
		},
	} {
		t.Run(name, func(t *testing.T) {
			proxy := pgproxy.Open(t, database)
			pool := openCompanies(t, proxy.URL, 1)
			if err := checkWhose(pool.DB(one, nil).QueryRow(t.Context(), whose, 1), one); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				ctx, cancel := context.WithCancel(t.Context())
				held := pgproxy.Intercept(func(net.Conn, net.Conn, []byte) bool {
					<-ctx.Done()
					time.Sleep(20 * time.Millisecond) // the client notices it
					return true
				})
				onSwitch := pgproxy.Intercept(func(server, client net.Conn, message []byte) bool {
					if !bytes.Contains(message, []byte(other.TimeZone)) {
						return true
					}
					if name == "cancelled after" {
						proxy.FromServer.Store(&held) // its answer may not overtake the cancellation
					}
					fails(cancel, server, client, message)
					return false
				})
				proxy.FromClient.Store(&onSwitch)
				err := checkWhose(pool.DB(other, nil).QueryRow(ctx, whose, 1), other)
				if err == nil || errors.Is(err, errWrongCompany) {
					t.Fatalf("a failing switch: %v", err)
				}
				cancel()
				proxy.FromClient.Store(nil)
				proxy.FromServer.Store(nil)
				for _, c := range []company.Company{one, other, one} {
					if err := checkWhose(pool.DB(c, nil).QueryRow(t.Context(), whose, 1), c); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// contract 14.40
func TestCompanyConnectionsServeNoOtherCompanyUnderFaults(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	companies := addSchemas(t, database, 7)
	pool := openCompanies(t, database, 3)
	var requests sync.WaitGroup
	var served atomic.Int64
	for worker := range uint64(12) {
		requests.Go(func() {
			random := rand.New(rand.NewPCG(worker, 1))
			for range 60 {
				c := companies[random.IntN(len(companies))]
				err := faultyRequest(t.Context(), pool.DB(c, nil), c, random)
				if errors.Is(err, errWrongCompany) {
					t.Error(err)
				}
				if err == nil {
					served.Add(1)
				}
			}
		})
	}
	requests.Wait()
	for _, c := range companies { // no connection is lost
		if err := checkWhose(pool.DB(c, nil).QueryRow(t.Context(), whose, 1), c); err != nil {
			t.Error(err)
		}
	}
	if _, used := pool.Connections(); used != 0 || served.Load() < 100 {
		t.Errorf("%d requests are served, and %d connections are still in use", served.Load(), used)
	}
}

// faultyRequest is a request that fails in one of the ways in which requests fail.
func faultyRequest(ctx context.Context, db postgres.DB, c company.Company, random *rand.Rand) (err error) {
	fault := random.IntN(8)
	if fault == 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(random.IntN(2000))*time.Microsecond)
		defer cancel()
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = errors.New("a panic")
		}
	}()
	return postgres.InTransaction(ctx, db, func(ctx context.Context, tx *postgres.Tx) error {
		if err := checkWhose(tx.QueryRow(ctx, whose, 1), c); err != nil {
			return err
		}
		switch fault {
		case 1:
			panic("in a transaction")
		case 2:
			_, err := tx.Exec(ctx, "select pg_terminate_backend(pg_backend_pid())")
			return err
		case 3:
			_, err := tx.Exec(ctx, "select 1 / 0")
			return err
		case 4:
			_, err := tx.Exec(ctx, "set local search_path = public; set local timezone = 'Asia/Seoul'")
			return err
		case 5:
			return postgres.ErrRollback
		}
		return checkWhose(tx.QueryRow(ctx, whose, 1), c)
	})
}

// contract 14.46
func TestCompanyConnectionIsReplacedAfterManyCompanies(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	companies := addSchemas(t, database, postgres.MaxServed+1)
	pool := openCompanies(t, database, 1)
	process := func(c company.Company) (pid int) {
		t.Helper()
		if err := pool.DB(c, nil).QueryRow(t.Context(), "select pg_backend_pid()").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	first := process(companies[0])
	for _, c := range companies[:postgres.MaxServed] {
		if process(c) != first || process(companies[0]) != first {
			t.Fatal("a connection is replaced early")
		}
	}
	last := companies[postgres.MaxServed]
	if process(last) == first {
		t.Error("a connection serves any number of companies")
	}
	if err := checkWhose(pool.DB(last, nil).QueryRow(t.Context(), whose, 1), last); err != nil {
		t.Error(err)
	}
	if open, used := pool.Connections(); open != 1 || used != 0 {
		t.Errorf("%d connections are open, %d of them in use", open, used)
	}
}

package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	companies "github.com/kontor-crm/kontor/application/company"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// busyCompanies is how many companies the benchmark has, all of them busy.
const busyCompanies = 50

func qualified(p *postgres.CompanyPool, c company.Company) postgres.DB { return p.DB(c, nil) }

// BenchmarkCompanyStatements compares ways to keep the statements of companies prepared, by the
// throughput of 50 busy companies as a ratio to that of one with the same load. The rounds of
// all ways take turns. Each request is a list of clients, and one in four adds one before.
func BenchmarkCompanyStatements(b *testing.B) {
	database := pgtest.URL(b)
	all := addBusy(b, database, busyCompanies)
	ways := []statementWay{
		{name: "qualified", url: database, of: qualified},
		{name: "switched", url: database, of: func(p *postgres.CompanyPool, c company.Company) postgres.DB { return switched{p.DB(c, nil)} }},
		{name: "unprepared", url: database + "&default_query_exec_mode=cache_describe", of: qualified},
	}
	for i := range ways {
		ways[i].open(b, all)
	}
	b.ResetTimer()
	for b.Loop() {
		for i := range ways {
			one := ways[i].throughput(b, func() int { return 0 })
			ways[i].ratios = append(ways[i].ratios, ways[i].throughput(b, func() int { return rand.IntN(busyCompanies) })/one)
			ways[i].ones = append(ways[i].ones, one)
		}
	}
	for _, w := range ways {
		slices.Sort(w.ratios)
		slices.Sort(w.ones)
		b.ReportMetric(w.ratios[len(w.ratios)/2], w.name+"-ratio")
		b.ReportMetric(w.ones[len(w.ones)/2], w.name+"-one/s")
	}
}

// addBusy adds companies with a few clients.
func addBusy(b *testing.B, database string, n int) []company.Company {
	b.Helper()
	store, err := pgcompany.NewStore(b.Context(), database)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	cases := companies.New(store, realClock{})
	pool := openCompanies(b, database, 2)
	var all []company.Company
	for i := range n {
		c, err := cases.Add(b.Context(), fmt.Sprintf("busy-%d", i), "UTC")
		if err != nil {
			b.Fatal(err)
		}
		fixture.Open(b, pgstore.NewTxOf(c.Code, pool.DB(c, nil), []pgstore.Projection{pgstore.ReadModels{}}))
		all = append(all, c)
	}
	return all
}

type realClock struct{}

func (realClock) Now() time.Time         { return time.Now() }
func (realClock) Elapsed() time.Duration { return 0 }

// statementWay is a way to keep statements prepared.
type statementWay struct {
	name string
	url  string
	of   func(*postgres.CompanyPool, company.Company) postgres.DB

	dbs          []postgres.DB
	requests     []func(ctx context.Context) error // of each company
	ratios, ones []float64
}

// switched is the DB of a company with one text for all: each connection that it takes is
// switched to the company's search path.
type switched struct{ postgres.DB }

func (d switched) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	conn, err := d.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		conn.Release()
		return nil, err
	}
	return releasedRows{rows, conn}, nil
}

// releasedRows release the connection when they are closed.
type releasedRows struct {
	pgx.Rows
	conn *pgxpool.Conn
}

func (r releasedRows) Close() {
	r.Rows.Close()
	r.conn.Release()
}

func (w *statementWay) open(b *testing.B, all []company.Company) {
	b.Helper()
	selection, err := query.Select(readmodel.Clients, query.Parameters{})
	if err != nil {
		b.Fatal(err)
	}
	sort, err := query.SortBy(readmodel.Clients, "")
	if err != nil {
		b.Fatal(err)
	}
	page := readmodel.Query[readmodel.ClientFilter]{Sort: sort, Select: selection, Page: readmodel.Page{Number: 1, Size: 20}}
	pool := openCompanies(b, w.url, 16)
	for _, c := range all {
		db := w.of(pool, c)
		clients := pgread.NewClients(db)
		tx := pgstore.NewTxOf(c.Code, db, []pgstore.Projection{pgstore.ReadModels{}})
		w.dbs = append(w.dbs, db)
		w.requests = append(w.requests, func(ctx context.Context) error {
			if rand.IntN(4) == 0 {
				return addClient(ctx, tx)
			}
			_, err := clients.List(ctx, page)
			return err
		})
	}
	w.throughput(b, func() int { return rand.IntN(busyCompanies) })
}

func addClient(ctx context.Context, tx repository.Tx) error {
	return tx.Do(ctx, repository.Meta{UserID: 1, At: fixture.At}, func(ctx context.Context, s repository.Stores) error {
		_, err := s.Clients.Add(ctx, fixture.Client(1, fixture.Company()))
		return err
	})
}

// fold folds what the load has added to the company.
func (w *statementWay) fold(b *testing.B, i int) {
	b.Helper()
	for more := true; more; {
		var err error
		if more, err = pgsummary.Fold(b.Context(), w.dbs[i]); err != nil {
			b.Fatal(err)
		}
	}
}

// throughput is how many requests a second are served to companies that are drawn.
func (w *statementWay) throughput(b *testing.B, draw func() int) float64 {
	b.Helper()
	const duration = 2 * time.Second
	var sending sync.WaitGroup
	var mu sync.Mutex
	served := 0
	began := time.Now()
	for range 16 {
		sending.Go(func() {
			for time.Since(began) < duration {
				if err := w.requests[draw()](b.Context()); err != nil {
					b.Error(err)
					return
				}
				mu.Lock()
				served++
				mu.Unlock()
			}
		})
	}
	sending.Wait()
	took := time.Since(began)
	for i := range w.dbs {
		w.fold(b, i)
	}
	return float64(served) / took.Seconds()
}

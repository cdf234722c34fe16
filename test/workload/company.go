package workload

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// Zone is the time zone of the databases, in which a payment may fall into another
// month than in UTC.
const Zone = "Pacific/Kiritimati"

// Company is a database with an office. Failures there fail the test.
type Company struct {
	T      testing.TB
	URL    string
	Pool   *postgres.DB
	Tx     *pgstore.Tx
	Office fixture.Office
}

// office is the database of a company that has only its office.
var office = pgtest.NewFixture(func(t testing.TB, url string) fixture.Office {
	t.Helper()
	if err := postgres.RecordZone(t.Context(), url, Zone); err != nil {
		t.Fatal(err)
	}
	return fixture.Open(t, OpenCompany(t, url).Tx)
})

// NewCompany creates a company on a database of its own.
func NewCompany(t testing.TB) Company {
	t.Helper()
	url, opened := office.URL(t)
	c := OpenCompany(t, url)
	c.Office = opened
	return c
}

// OpenCompany is a company, without its office, on a database that has the time zone.
func OpenCompany(t testing.TB, url string) Company {
	t.Helper()
	url = pgtest.WithParameter(t, url, "connect_timeout", "60") // a busy machine connects slowly
	pool, err := postgres.Open(t.Context(), postgres.Config{
		URL: url, MaxConns: 16, StatementTimeout: 30 * time.Second, LockTimeout: 10 * time.Second, Zone: Zone,
		Distributed: pgtest.IsDistributed(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return Company{T: t, URL: url, Pool: pool, Tx: pgstore.NewTx(pool, []pgstore.Projection{
		pgstore.DealHistory{}, pgstore.ReadModels{},
	})}
}

// Execute runs statements in one transaction, bypassing the stores.
func (c Company) Execute(statements ...string) {
	c.T.Helper()
	err := postgres.InTransaction(c.T.Context(), c.Pool, func(ctx context.Context, tx pgx.Tx) error {
		for _, sql := range statements {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		c.T.Fatalf("%s: %v", strings.Join(statements, "; "), err)
	}
}

// Number returns the result of a query for a number.
func (c Company) Number(sql string) int64 {
	c.T.Helper()
	return value[int64](c, sql)
}

// Text returns the result of a query for a text.
func (c Company) Text(sql string) string {
	c.T.Helper()
	return value[string](c, sql)
}

func value[V any](c Company, sql string) (v V) {
	c.T.Helper()
	if err := c.Pool.QueryRow(c.T.Context(), sql).Scan(&v); err != nil {
		c.T.Fatalf("%s: %v", sql, err)
	}
	return v
}

// Fold folds until nothing is left to fold.
func (c Company) Fold() {
	c.T.Helper()
	for more := true; more; {
		var err error
		if more, err = pgsummary.Fold(c.T.Context(), c.Pool); err != nil {
			c.T.Fatal(err)
		}
	}
}

// Rebuild rebuilds the read models.
func (c Company) Rebuild() {
	c.T.Helper()
	if err := pgsummary.Rebuild(c.T.Context(), c.Pool); err != nil {
		c.T.Fatal(err)
	}
}

// Differences returns the differences between the read models and the records.
func (c Company) Differences() []pgsummary.Difference {
	c.T.Helper()
	list, err := pgsummary.Verify(c.T.Context(), c.Pool)
	if err != nil {
		c.T.Fatal(err)
	}
	return list
}

// Agrees reports whether the read models agree with the records, and fails the test
// if not.
func (c Company) Agrees(when string) bool {
	c.T.Helper()
	list := c.Differences()
	for _, d := range list[:min(len(list), 5)] {
		c.T.Errorf("%s, %s says of %s: %s; the records say %s", when, d.Model, d.Key, d.Stored, d.Expected)
	}
	return len(list) == 0
}

// Copy is the company on a copy of its database, as a restored backup has it.
func (c Company) Copy() Company {
	c.T.Helper()
	url := pgtest.EmptyURL(c.T)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		c.T.Fatal(err)
	}
	name := pgx.Identifier{config.Database}.Sanitize()
	config.Database = "postgres"
	conn, err := pgx.ConnectConfig(c.T.Context(), config)
	if err != nil {
		c.T.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(c.T.Context())) }()
	c.Pool.Reset() // the original may have no connections
	for _, sql := range []string{"drop database " + name, "create database " + name + " template " + pgx.Identifier{c.Pool.Config().ConnConfig.Database}.Sanitize()} {
		if _, err := conn.Exec(c.T.Context(), sql); err != nil {
			c.T.Fatalf("%s: %v", sql, err)
		}
	}
	copied := OpenCompany(c.T, url)
	copied.Office = c.Office
	return copied
}

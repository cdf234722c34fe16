package model_test

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgmodel"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// zone is what the databases of these tests are kept in: one in which a payment
// may fall into another month than in UTC.
const zone = "Pacific/Kiritimati"

// company is a database with an office, and what writes to it.
type company struct {
	t      *testing.T
	url    string
	pool   *pgxpool.Pool
	tx     *pgstore.Tx
	office fixture.Office
}

// found is a company on a database of its own.
func found(t *testing.T) company {
	t.Helper()
	url := pgtest.URL(t)
	if err := postgres.KeepZone(t.Context(), url, zone); err != nil {
		t.Fatal(err)
	}
	pool, err := postgres.Open(t.Context(), postgres.Config{
		URL: url, MaxConns: 12, StatementTimeout: 20 * time.Second, LockTimeout: 5 * time.Second, Zone: zone,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	c := company{t: t, url: url, pool: pool, tx: pgstore.NewTx(pool, []pgstore.Projection{
		pgstore.DealHistory{}, pgstore.ListChanges{}, pgstore.SearchTexts{},
	})}
	c.office = fixture.Open(t, c.tx)
	return c
}

// execute runs a statement past the stores.
func (c company) execute(sql string) {
	c.t.Helper()
	if _, err := c.pool.Exec(c.t.Context(), sql); err != nil {
		c.t.Fatalf("%s: %v", sql, err)
	}
}

// number is the answer of a query for one.
func (c company) number(sql string) (n int64) {
	c.t.Helper()
	if err := c.pool.QueryRow(c.t.Context(), sql).Scan(&n); err != nil {
		c.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// text is the answer of a query for one.
func (c company) text(sql string) (text string) {
	c.t.Helper()
	if err := c.pool.QueryRow(c.t.Context(), sql).Scan(&text); err != nil {
		c.t.Fatalf("%s: %v", sql, err)
	}
	return text
}

// issue stores an invoice of so many lines.
func (c company) issue(lines int) invoice.ID {
	c.t.Helper()
	a := fixture.Invoice(c.office)
	a.Lines = optional.Some(slices.Repeat([]invoice.LineAttributes{fixture.Line("Fracht")}, lines))
	var all []invoice.ID
	fixture.Do(c.t, c.tx, c.office.Manager, adding(&all, fixture.Must(invoice.New(c.office.Manager, a, performer.Terms{}, fixture.At)), invoicesOf))
	return all[0]
}

// fold folds until nothing is left to fold.
func (c company) fold() {
	c.t.Helper()
	for more := true; more; {
		var err error
		if more, err = pgmodel.Fold(c.t.Context(), c.pool); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c company) rebuild() {
	c.t.Helper()
	if err := pgmodel.Rebuild(c.t.Context(), c.pool); err != nil {
		c.t.Fatal(err)
	}
}

// differences are where the models do not agree with the records.
func (c company) differences() []pgmodel.Difference {
	c.t.Helper()
	list, err := pgmodel.Verify(c.t.Context(), c.pool)
	if err != nil {
		c.t.Fatal(err)
	}
	return list
}

// agrees says whether the models agree with the records, and complains if not.
func (c company) agrees(when string) bool {
	c.t.Helper()
	list := c.differences()
	for _, d := range list[:min(len(list), 5)] {
		c.t.Errorf("%s, %s says of %s: %s; the records say %s", when, d.Model, d.Key, d.Says, d.Is)
	}
	return len(list) == 0
}

// noted is how many rows writers have noted that are not folded.
const noted = `
select
    (select count(*) from client_changes where batch >= first_open)
    + (select count(*) from deal_changes where batch >= first_open)
    + (select count(*) from offer_changes where batch >= first_open)
    + (select count(*) from contract_changes where batch >= first_open)
    + (select count(*) from invoice_changes where batch >= first_open)
from readmodels`

// held is a transaction that holds the newest batch, as one that has written
// does, until it ends.
func (c company) held() (end func()) {
	c.t.Helper()
	tx, err := c.pool.Begin(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := tx.Exec(c.t.Context(), "select id from change_batches order by id desc limit 1 for key share", pgx.QueryExecModeSimpleProtocol); err != nil {
		c.t.Fatal(err)
	}
	end = func() { _ = tx.Rollback(context.WithoutCancel(c.t.Context())) }
	c.t.Cleanup(end)
	return end
}

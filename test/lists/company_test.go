package lists_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgmodel"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// zone is what the databases of these tests are kept in: one in which a payment
// may fall into another month than in UTC.
const zone = "Pacific/Kiritimati"

// company is a database with an office.
type company struct {
	t      *testing.T
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
		URL: url, MaxConns: 16, StatementTimeout: 30 * time.Second, LockTimeout: 10 * time.Second, Zone: zone,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	c := company{t: t, pool: pool, tx: pgstore.NewTx(pool, []pgstore.Projection{
		pgstore.DealHistory{}, pgstore.ListChanges{}, pgstore.SearchTexts{},
	})}
	c.office = fixture.Open(t, c.tx)
	return c
}

// execute runs statements past the stores, in one transaction.
func (c company) execute(statements ...string) {
	c.t.Helper()
	err := postgres.InTransaction(c.t.Context(), c.pool, func(ctx context.Context, tx pgx.Tx) error {
		for _, sql := range statements {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		c.t.Errorf("%s: %v", strings.Join(statements, "; "), err)
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

// agrees complains where the models differ from the records.
func (c company) agrees() {
	c.t.Helper()
	list, err := pgmodel.Verify(c.t.Context(), c.pool)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, d := range list[:min(len(list), 5)] {
		c.t.Errorf("%s says of %s: %s; the records say %s", d.Model, d.Key, d.Says, d.Is)
	}
}

// cut cuts every list anew, into pieces of so few records that a short list has
// many of them. Figures stay right: what is not folded yet is left out.
func (c company) cut() {
	c.t.Helper()
	statements := []string{"select from readmodels for update"}
	for _, of := range []struct{ list, created, changes string }{
		{"clients", "created_at", "client_changes"},
		{"deals", "created_at", "deal_changes"},
		{"offers", "created_on", "offer_changes"},
		{"contracts", "created_on", "contract_changes"},
		{"invoices", "created_on", "invoice_changes"},
		{"invoice_items", "timestamptz '-infinity'", `(
    select t.batch, t.n, timestamptz '-infinity' as created, l.id
    from invoice_changes t, unnest(t.line_ids) l (id)
)`},
	} {
		statements = append(statements, "delete from milestones where list = '"+of.list+"'",
			strings.NewReplacer("$list", of.list, "$created", of.created, "$changes", of.changes).Replace(cutting))
	}
	c.execute(statements...)
}

const cutting = `
with r as materialized (
    select $created as created, id, row_number() over (order by $created, id) as place
    from $list
), start as (
    select '-infinity'::timestamptz as created, 0::bigint as id
    union all
    select created, id from r where place % 97 = 11
), piece as (
    select
        created, id,
        lead(created, 1, 'infinity') over (order by created, id) as next_created,
        lead(id, 1, 0::bigint) over (order by created, id) as next_id
    from start
)
insert into milestones (list, created, id, n)
select
    '$list', p.created, p.id,
    (
        select count(*)
        from r
        where (r.created, r.id) >= (p.created, p.id) and (r.created, r.id) < (p.next_created, p.next_id)
    ) - (
        select coalesce(sum(t.n), 0)
        from $changes t, readmodels m
        where t.batch >= m.first_open
            and (t.created, t.id) >= (p.created, p.id) and (t.created, t.id) < (p.next_created, p.next_id)
    )
from piece p`

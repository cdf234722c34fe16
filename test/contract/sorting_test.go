package contract_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// explainer notes how the database would carry a statement out, and does not.
type explainer struct {
	tx   pgx.Tx
	plan string
}

var errExplained = errors.New("explained")

func (e *explainer) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := e.tx.Query(ctx, "explain (costs off) "+sql, args...)
	if err != nil {
		return nil, err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	e.plan = strings.Join(lines, "\n")
	return nil, errExplained
}

// withoutSorting is a transaction in which the database sorts only if it cannot
// do without: what it sorts then has no index in that order.
func withoutSorting(t *testing.T, pool *pgxpool.Pool) *explainer {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	for _, way := range []string{"sort", "incremental_sort", "seqscan", "bitmapscan", "hashjoin", "mergejoin"} {
		if _, err := tx.Exec(t.Context(), "set local enable_"+way+" = off"); err != nil {
			t.Fatal(err)
		}
	}
	return &explainer{tx: tx}
}

// listed says how the page of the list would be found.
func listed[F any](t *testing.T, e *explainer, reader readmodel.Reader[F], table *readmodel.Resource, sort string, page int64) string {
	t.Helper()
	shape, err := table.Select(readmodel.Asking{})
	if err != nil {
		t.Fatal(err)
	}
	order, err := table.SortBy(sort)
	if err != nil {
		t.Fatal(err)
	}
	_, err = reader.List(t.Context(), readmodel.Query[F]{Select: shape, Sort: order, Page: readmodel.Page{Number: page, Size: 20}})
	if !errors.Is(err, errExplained) {
		t.Fatalf("%s by %s: %v", table.Name, sort, err)
	}
	return e.plan
}

// unsorted are the attributes by which no index sorts a list, each with its
// reason.
var unsorted = map[string]string{
	"client real_address": "a long text", "client description": "a long text",
	"offer notice": "a long text", "contract notice": "a long text", "invoice notice": "a long text",
	"invoice item name": "a long text",
}

// contract 4.18
func TestAnIndexSortsEveryListByEveryShortAttribute(t *testing.T) {
	t.Parallel()
	e := withoutSorting(t, migrated(t))
	checkSorts(t, e, readmodel.Clients, pgread.NewClients(e))
	checkSorts(t, e, readmodel.Deals, pgread.NewDeals(e))
	checkSorts(t, e, readmodel.Offers, pgread.NewOffers(e))
	checkSorts(t, e, readmodel.Contracts, pgread.NewContracts(e))
	checkSorts(t, e, readmodel.Invoices, pgread.NewInvoices(e))
	checkSorts(t, e, readmodel.InvoiceItems, pgread.NewInvoiceItems(e))
}

func checkSorts[F any](t *testing.T, e *explainer, table *readmodel.Resource, reader readmodel.Reader[F]) {
	t.Helper()
	for _, attribute := range table.SortNames() {
		for _, sort := range []string{attribute, "-" + attribute} {
			for page := int64(1); page <= 2; page++ {
				plan := listed(t, e, reader, table, sort, page)
				// What is sorted above the limit is the page alone.
				_, inner, limited := strings.Cut(plan, "Limit")
				if !limited {
					t.Fatalf("the page has no limit:\n%s", plan)
				}
				_, excepted := unsorted[table.Name+" "+attribute]
				if sorts := strings.Contains(inner, "Sort Key"); sorts != excepted {
					t.Errorf("%s sorted by %s, page %d: the database sorts: %v, and is expected to: %v\n%s", table.Name, sort, page, sorts, excepted, plan)
				}
			}
		}
	}
}

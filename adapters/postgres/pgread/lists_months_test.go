package pgread_test

import (
	"context"
	"regexp"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// The rollup has the sums of all months under the number of a month of the year 0.
//
// contract 4.43, 10.97
func TestInvoicesOfTheYearZeroAreNone(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(61).Steps(80)
	c.Fold()
	c.Writer(62).Steps(5) // which are not folded
	invoices := c.listChecks(c.Pool)[4].(listCheck[readmodel.InvoiceFilter])
	zero, month := domain.Some(0), domain.Some(1)
	for _, year := range []readmodel.InvoiceFilter{
		{Year: zero}, {Year: zero, Month: month}, {PaidYear: zero}, {PaidYear: zero, PaidMonth: month},
		{Year: zero, PaidYear: zero}, {Year: zero, PaidMonth: month},
	} {
		user, kind, status := year, year, year
		user.UserIDs = append(user.UserIDs, c.Office.Manager)
		kind.TypeIDs = append(kind.TypeIDs, c.Office.InvoiceType)
		status.Statuses = append(status.Statuses, invoice.Paid)
		for _, f := range []readmodel.InvoiceFilter{year, user, kind, status} {
			none := &asked{company: c}
			none.that("false")
			l, err := invoices.ordered(t.Context(), c.Pool, none, f, "", query.Parameters{Fields: domain.Some("id")})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.page(t.Context(), "the page", readmodel.Page{Number: 1, Size: 20}, 0, 0); err != nil {
				t.Errorf("%+v: %v", f, err)
			}
		}
	}
}

// captured is a pool that keeps the last query.
type captured struct {
	pgread.Querier
	sql  string
	args []any
}

func (c *captured) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	c.sql, c.args = sql, args[1:] // without the result format
	return c.Querier.Query(ctx, sql, args...)
}

// contract 10.97
func TestMonthOfAnyYearReadsOnlyYearsWithInvoices(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(63).Steps(80)
	c.Execute(
		"update invoices set date = timestamp '9999-12-31' where id = (select max(id) from invoices)",
		"update invoices set status = 2, paid_price = owed_price, paid_on = timestamptz '9998-01-15', paid_month = 9998 * 12 where id = (select min(id) from invoices)",
	)
	c.Rebuild()
	db := &captured{Querier: c.Pool}
	invoices := listCheck[readmodel.InvoiceFilter]{
		company: c, table: "invoices", resource: readmodel.Invoices, reader: pgread.NewInvoices(db), ask: askInvoices,
	}
	for _, month := range []int{1, 5, 12} {
		one := domain.Some(month)
		for _, c := range []struct {
			filter  readmodel.InvoiceFilter
			meaning string
		}{
			{readmodel.InvoiceFilter{Month: one}, "extract(month from r.date) = ?::integer"},
			{readmodel.InvoiceFilter{PaidMonth: one}, "extract(month from r.paid_on) = ?::integer"},
			{readmodel.InvoiceFilter{Month: one, PaidMonth: one}, "extract(month from r.date) = ?::integer and extract(month from r.paid_on) = extract(month from r.date)"},
		} {
			a := &asked{company: invoices.company}
			a.that(c.meaning, month)
			l, err := invoices.ordered(t.Context(), invoices.Pool, a, c.filter, "", query.Parameters{Fields: domain.Some("id")})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.page(t.Context(), "the page", readmodel.Page{Number: 1, Size: 20}, 0, 20); err != nil {
				t.Error(err)
			}
			if n := invoices.loops(db); n > 500 {
				t.Errorf("month %d with %s takes %d steps", month, c.meaning, n)
			}
		}
	}
}

// loops is how often the steps of the captured query are executed.
func (c company) loops(q *captured) (n int) {
	c.T.Helper()
	var explained string
	err := c.Pool.QueryRow(c.T.Context(), "explain (analyze, timing off, format json) "+q.sql, q.args...).Scan(&explained)
	if err != nil {
		c.T.Fatalf("%s: %v", q.sql, err)
	}
	for _, found := range regexp.MustCompile(`"Actual Loops": (\d+)`).FindAllStringSubmatch(explained, -1) {
		loops, err := strconv.Atoi(found[1])
		if err != nil {
			c.T.Fatal(err)
		}
		n += loops
	}
	return n
}

package pgread_test

import (
	"testing"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// The rollup has the sums of all months under the number of a month of the year 0.
//
// contract 4.43, 10.97, 10.99
func TestInvoicesOfTheYearZeroAreNone(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(61).Steps(80)
	c.Fold()
	c.Writer(62).Steps(5) // which are not folded
	invoices := c.listChecks(c.Pool)[4].(listCheck[readmodel.InvoiceFilter])
	zero, month := optional.Some(0), optional.Some(1)
	for _, year := range []readmodel.InvoiceFilter{
		{Year: zero}, {Year: zero, Month: month}, {PaidYear: zero}, {PaidYear: zero, PaidMonth: month},
		{Year: zero, PaidYear: zero}, {Year: zero, PaidMonth: month},
	} {
		user, kind, status := year, year, year
		user.UserID = optional.Some(c.Office.Manager)
		kind.TypeID = optional.Some(c.Office.InvoiceType)
		status.Status = optional.Some(invoice.Paid)
		for _, f := range []readmodel.InvoiceFilter{year, user, kind, status} {
			none := &asked{company: c}
			none.that("false")
			l, err := invoices.ordered(t.Context(), c.Pool, none, f, "", query.Parameters{Fields: optional.Some("id")})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.page(t.Context(), "the page", readmodel.Page{Number: 1, Size: 20}, 0, 0); err != nil {
				t.Errorf("%+v: %v", f, err)
			}
		}
	}
}

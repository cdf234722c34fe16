package pgstore

import (
	"fmt"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/ports/repository"
)

// The rows of an invoice have the ids of the lines that go with the state before and come
// with the state after: those of the lines that stay would cancel each other out. If the
// lines that stay are counted otherwise than before, both rows have them too. They are
// read from the database, as the unit of work may not have loaded them.

var listedInvoices = newListed(listdef.Invoices, func(e derive.InvoiceEntry) []field {
	return []field{
		{"client_id", e.ClientID}, {"user_id", e.UserID}, {"type_id", e.TypeID}, {"status", int16(e.Status)},
		{"month", e.Month}, {"paid_month", instant(e.PaidOn)}, {"line_ids", "{" + e.LineIDs + "}"},
	}
})

// invoiceWithAllLines is the statement changed with the lines that stay. The first
// parameter is the id of the invoice, the last one the array of lines that come.
var invoiceWithAllLines = func() string {
	l := listdef.Invoices
	params := l.AllColumns()
	values := names(params, "v.")
	for i, c := range params {
		if c.Name == listdef.InvoiceLines.Part.IDs {
			values[i] += " || s.ids"
		}
	}
	return changeStatements(params, func(rows string, count int) string {
		return insertChanges(l, values, rows) + fmt.Sprintf(`
cross join (
    select array(
        select id
        from invoice_lines
        where invoice_id = $1 and id <> all($%d::text::bigint[])
        order by id
    )
) s (ids)`, count*len(params))
	}).changed
}()

func storeInvoices(w *Writer, changes []repository.Change[derive.InvoiceEntry]) {
	for _, c := range changes {
		l := listedInvoices
		if c.After != nil && c.After.AllLines {
			l.changes.changed = invoiceWithAllLines
		}
		store(w, l, []repository.Change[derive.InvoiceEntry]{c})
	}
}

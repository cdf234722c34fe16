package pgread

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewInvoices makes the reader of invoices.
func NewInvoices(db Querier) readmodel.Reader[readmodel.InvoiceFilter] {
	type filter = readmodel.InvoiceFilter
	company := containing(search{table: "client_search", ref: "client_id"}, func(f filter) string { return f.Company }).
		untallied().countedBy("invoices")
	company.where = "r.client_id in (select c.id from clients c where c.name_key like ?)"
	return newReader(db, invoices,
		within("paid_month", &runs{column: "paid_month"}, func(f filter) []any { return months(f.PaidYear, f.PaidMonth) }),
		monthly("paid_month", &runs{column: "paid_month", yearly: true}, func(f filter) []any { return monthOf(f.PaidYear, f.PaidMonth) }),
		within("month", &runs{column: "month", states: true}, func(f filter) []any { return months(f.Year, f.Month) }),
		monthly("month", &runs{column: "month", states: true, yearly: true}, func(f filter) []any { return monthOf(f.Year, f.Month) }),
		equal("user_id", func(f filter) optional.Of[user.ID] { return f.UserID }).in("user_id").sortedBy("id", "user_id"),
		equal("type_id", func(f filter) optional.Of[catalog.InvoiceTypeID] { return f.TypeID }),
		equal("status", func(f filter) optional.Of[invoice.Status] { return f.Status }),
		equal("client_id", func(f filter) optional.Of[client.ID] { return f.ClientID }).countedBy("invoices"),
		equal("deal_id", func(f filter) optional.Of[deal.ID] { return f.DealID }).untallied(),
		containing(search{table: "invoice_search", ref: "id", key: "number_key"}, func(f filter) string { return f.Number }),
		company,
	)
}

var invoices = &model{
	resource: readmodel.Invoices,
	table:    "invoices",
	columns: merge(
		map[string]string{
			"id":          "r.id",
			"version":     "r.version",
			"user_id":     "r.user_id",
			"paid":        statusIn(invoice.Status.Paid),
			"closed":      statusIn(invoice.Status.Closed),
			"number":      "r.number",
			"date":        "r.date",
			"notice":      "r.notice",
			"deal_id":     "r.deal_id",
			"total_count": "r.total_count",
			"total_price": "r.total_price",
			"vat_price":   "r.vat_price",
			"pay_price":   "r.pay_price",
			"created_on":  "r.created_on",
			"paid_on":     "r.paid_on",
			"updated_on":  "r.updated_on",
			"update_on":   "r.updated_on",
			"status.id":   "r.status",
			"status.name": "s.name",
		},
		embedded("performer.", "p", readmodel.Performers.Attributes),
		embeddedLabel("type", "t"),
		embeddedClient("company", "c"),
		embeddedUser("manager", "u"),
		embeddedDeal("deal", "d"),
	),
	joins: map[string]string{
		"performer": "left join performers p on p.id = r.performer_id",
		"type":      "left join invoice_types t on t.id = r.type_id",
		"company":   "left join clients c on c.id = r.client_id",
		"manager":   "left join users u on u.id = r.user_id",
		"status":    "left join (values " + statusNames() + ") s (id, name) on s.id = r.status",
		"deal":      "left join deals d on d.id = r.deal_id",
	},
	keys: map[string]string{
		"number": "r.number_key",
		"notice": "r.notice_key",
	},
	long:    []string{"notice"},
	created: "created_on",
	total: &total{
		table: "invoice_totals", measure: "t.record_count", cubes: []string{"user_id", "paid_month", "month"}, atOnce: 2,
		changes: "invoice_changes", weight: "t.delta", moves: "invoice_changes",
	},
	lists: map[string]list{"items": {
		from:    "invoice_lines l where l.invoice_id = r.id",
		order:   "l.id",
		columns: embedded("", "l", readmodel.InvoiceItems.Attributes),
	}},
}

// NewInvoiceItems makes the reader of the lines of invoices.
func NewInvoiceItems(db Querier) readmodel.Reader[readmodel.InvoiceItemFilter] {
	type filter = readmodel.InvoiceItemFilter
	return newReader(db, invoiceItems,
		equal("invoice_id", func(f filter) optional.Of[invoice.ID] { return f.InvoiceID }).untallied(),
		condition[filter]{
			where: "r.name_key like ?",
			asked: func(f filter) []any { return pattern(f.Name) },
		},
	)
}

var invoiceItems = &model{
	resource: readmodel.InvoiceItems,
	table:    "invoice_lines",
	columns: map[string]string{
		"id":          "r.id",
		"version":     "r.version",
		"invoice_id":  "r.invoice_id",
		"name":        "r.name",
		"units":       "r.units",
		"count":       "r.count",
		"price":       "r.price",
		"total_price": "r.total_price",
	},
	keys: map[string]string{
		"name":  "r.name_key",
		"units": "r.units_key",
	},
	long:    []string{"name"},
	created: "id",
	// The lines of all invoices are counted with these.
	total: &total{
		table: "invoice_totals", measure: "t.line_count", cubes: []string{"user_id", "paid_month", "month"}, atOnce: 2,
		changes: "invoice_changes", weight: "t.delta * cardinality(t.line_ids)", moves: linesMoved,
	},
}

// linesMoved is the lines of the invoices that have changed.
const linesMoved = `(
    select t.batch_id, t.delta, timestamptz '-infinity' as created_at, l.id
    from invoice_changes t
    cross join lateral unnest(t.line_ids) l (id)
)`

// embedded is the record of a table whose columns have the names of its
// attributes, under that alias; the paths begin with prefix.
func embedded(prefix, alias string, attributes []readmodel.Attribute) map[string]string {
	columns := make(map[string]string, len(attributes))
	for _, a := range attributes {
		columns[prefix+a.Name] = alias + "." + a.Name
	}
	return columns
}

// everyStatus is the states that an invoice can be in.
var everyStatus = []invoice.Status{invoice.NotPaid, invoice.Paid, invoice.Closed, invoice.Cancelled}

// statusIn is the condition that an invoice's state is one of those that the
// domain counts as such.
func statusIn(counts func(invoice.Status) bool) string {
	var numbers []string
	for _, s := range everyStatus {
		if counts(s) {
			numbers = append(numbers, number(s))
		}
	}
	return "r.status in (" + strings.Join(numbers, ", ") + ")"
}

// statusNames is the rows of number and name of the states.
func statusNames() string {
	rows := make([]string, len(everyStatus))
	for i, s := range everyStatus {
		rows[i] = fmt.Sprintf("(%d, '%s')", s, s)
	}
	return strings.Join(rows, ", ")
}

// number is how a state is stored.
func number(s invoice.Status) string { return strconv.Itoa(int(s)) }

// within narrows to the rows in a range of months.
func within(column string, r *runs, asked func(readmodel.InvoiceFilter) []any) condition[readmodel.InvoiceFilter] {
	return condition[readmodel.InvoiceFilter]{
		where:   "r." + column + " between ? and ?",
		tallied: "t." + column + " between ? and ?",
		cube:    column,
		runs:    r,
		asked:   asked,
	}
}

// monthly narrows to the rows in one month of every year. Totals have numbers
// that are no months: they are below those of all.
func monthly(column string, r *runs, asked func(readmodel.InvoiceFilter) []any) condition[readmodel.InvoiceFilter] {
	return condition[readmodel.InvoiceFilter]{
		where:   "mod(r." + column + ", 12) = ?",
		tallied: "t." + column + " > 0 and mod(t." + column + ", 12) = ?",
		cube:    column,
		runs:    r,
		asked:   asked,
	}
}

// months are the first and the last month of the year, or the month of it
// twice, counted from January of the year 0; nil without a year.
func months(year, month optional.Of[int]) []any {
	y, ok := year.Get()
	if !ok {
		return nil
	}
	if m, ok := month.Get(); ok {
		return []any{y*12 + m - 1, y*12 + m - 1}
	}
	return []any{y * 12, y*12 + 11}
}

// monthOf is the month of any year, counted from 0; nil with a year.
func monthOf(year, month optional.Of[int]) []any {
	m, ok := month.Get()
	if _, hasYear := year.Get(); hasYear || !ok {
		return nil
	}
	return []any{m - 1}
}

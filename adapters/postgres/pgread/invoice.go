package pgread

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewInvoices returns the reader of invoices.
func NewInvoices(db Querier) readmodel.Reader[readmodel.InvoiceFilter] {
	type asked = readmodel.InvoiceFilter
	company := containing(listdef.Clients, "company", func(f asked) string { return f.Company })
	company.search.ref, company.search.key = "client_id", ""
	company.where = "r.client_id in (select c.id from clients c where c.name_key like :company)"
	company.column, company.client = "", true
	// The index invoices_by_month has the status behind the month.
	byStatus := &parts{column: "status", values: statusNumbers(), unless: []string{"user_id", "status"}}
	return newReader(db, invoices,
		inMonths("paid_month", nil, func(f asked, into []any) bool { return monthRange(f.PaidYear, f.PaidMonth, into) }),
		inMonthOfAnyYear("paid_month", nil, func(f asked, into []any) bool { return monthOfAnyYear(f.PaidYear, f.PaidMonth, into) }),
		inMonths("month", byStatus, func(f asked, into []any) bool { return monthRange(f.Year, f.Month, into) }),
		inMonthOfAnyYear("month", byStatus, func(f asked, into []any) bool { return monthOfAnyYear(f.Year, f.Month, into) }),
		equal("user_id", func(f asked) optional.Of[user.ID] { return f.UserID }).sortedBy("id", "user_id"),
		equal("type_id", func(f asked) optional.Of[catalog.InvoiceTypeID] { return f.TypeID }),
		equal("status", func(f asked) optional.Of[invoice.Status] { return f.Status }),
		ofClient(func(f asked) optional.Of[client.ID] { return f.ClientID }),
		equal("deal_id", func(f asked) optional.Of[deal.ID] { return f.DealID }),
		containing(listdef.Invoices, "number", func(f asked) string { return f.Number }),
		company,
	)
}

var invoices = &mapping{
	resource: readmodel.Invoices,
	table:    "invoices",
	columns: merge(
		own(
			"id", "version", "user_id", "number", "date", "notice", "deal_id", "total_count", "total_price",
			"vat_price", "pay_price", "created_on", "paid_on", "updated_on",
		),
		map[string]string{
			"paid":        statusIn(invoice.Status.Paid),
			"closed":      statusIn(invoice.Status.Closed),
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
	keys: sortKeys("number", "notice"),
	long: []string{"notice"},
	list: listdef.Invoices,
	nested: map[string]nested{"items": {
		from:    "invoice_lines l where l.invoice_id = r.id",
		order:   "l.id",
		columns: embedded("", "l", readmodel.InvoiceItems.Attributes),
	}},
}

// NewInvoiceInputs returns the reader of the values from which the amounts of
// invoices are computed.
func NewInvoiceInputs(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, invoiceInputs)
}

var invoiceInputs = &mapping{
	resource: readmodel.InvoiceInputs,
	table:    "invoices",
	columns: map[string]string{
		"id":          "r.id",
		"version":     "r.version",
		"vat_use":     "r.vat_use",
		"vat_percent": "r.vat_percent",
	},
	nested: map[string]nested{"items": {
		from:    "invoice_lines l where l.invoice_id = r.id",
		order:   "l.id",
		columns: map[string]string{"id": "l.id", "name": "l.name", "count": "l.count", "price": "l.price"},
	}},
}

// NewInvoiceItems returns the reader of the lines of invoices.
func NewInvoiceItems(db Querier) readmodel.Reader[readmodel.InvoiceItemFilter] {
	type asked = readmodel.InvoiceItemFilter
	return newReader(db, invoiceItems,
		equal("invoice_id", func(f asked) optional.Of[invoice.ID] { return f.InvoiceID }),
		filter[asked]{
			params: []string{"name"},
			values: pattern(func(f asked) string { return f.Name }),
			where:  "r.name_key like :name",

			unindexed: true, // few search the lines of all invoices
		},
	)
}

var invoiceItems = &mapping{
	resource: readmodel.InvoiceItems,
	table:    "invoice_lines",
	columns:  own("id", "version", "invoice_id", "name", "units", "count", "price", "total_price"),
	keys:     sortKeys("name", "units"),
	long:     []string{"name"},
	list:     listdef.InvoiceLines,
}

// embedded returns the record of a table whose columns have the names of its
// attributes, under that alias; the paths begin with prefix.
func embedded(prefix, alias string, attributes []readmodel.Attribute) map[string]string {
	columns := make(map[string]string, len(attributes))
	for _, a := range attributes {
		columns[prefix+a.Name] = alias + "." + a.Name
	}
	return columns
}

var invoiceStatuses = []invoice.Status{invoice.NotPaid, invoice.Paid, invoice.Closed, invoice.Cancelled}

// statusIn returns the predicate that an invoice has one of the statuses for
// which the domain says so.
func statusIn(is func(invoice.Status) bool) string {
	var numbers []string
	for _, s := range invoiceStatuses {
		if is(s) {
			numbers = append(numbers, number(s))
		}
	}
	return "r.status in (" + strings.Join(numbers, ", ") + ")"
}

func statusNames() string {
	rows := make([]string, len(invoiceStatuses))
	for i, s := range invoiceStatuses {
		rows[i] = fmt.Sprintf("(%d, '%s')", s, s)
	}
	return strings.Join(rows, ", ")
}

func statusNumbers() []string {
	numbers := make([]string, len(invoiceStatuses))
	for i, s := range invoiceStatuses {
		numbers[i] = number(s)
	}
	return numbers
}

func number(s invoice.Status) string { return strconv.Itoa(int(s)) }

// inMonths returns the filter for a range of months. Totals have numbers that are
// no months: these are not positive, whereas the year 0 begins with month 0.
func inMonths[F any](column string, p *parts, values func(F, []any) bool) filter[F] {
	between := "." + column + " between :" + column + "_from and :" + column + "_to"
	return filter[F]{
		params:   []string{column + "_from", column + "_to"},
		values:   values,
		where:    "r" + between,
		column:   column,
		recorded: "t." + column + " > 0 and t" + between,
		months:   &months{column: column, parts: p},
	}
}

func inMonthOfAnyYear[F any](column string, p *parts, values func(F, []any) bool) filter[F] {
	param := column + "_of_any_year"
	return filter[F]{
		params:   []string{param},
		values:   values,
		where:    "mod(r." + column + ", 12) = :" + param,
		column:   column,
		recorded: "t." + column + " > 0 and mod(t." + column + ", 12) = :" + param,
		months:   &months{column: column, yearly: true, parts: p},
	}
}

// monthRange sets the first and the last month of the year, or the month of it
// twice, counted from January of the year 0. It is not set without a year.
func monthRange(year, month optional.Of[int], into []any) bool {
	y, ok := year.Get()
	if !ok {
		return false
	}
	into[0], into[1] = y*12, y*12+11
	if m, ok := month.Get(); ok {
		into[0], into[1] = y*12+m-1, y*12+m-1
	}
	return true
}

// monthOfAnyYear sets the month, counted from 0. It is not set with a year.
func monthOfAnyYear(year, month optional.Of[int], into []any) bool {
	m, ok := month.Get()
	if _, hasYear := year.Get(); hasYear || !ok {
		return false
	}
	into[0] = m - 1
	return true
}

package pgread

import (
	"fmt"
	"strings"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewInvoices makes the reader of invoices.
func NewInvoices(db Querier) readmodel.Reader[readmodel.InvoiceFilter] {
	return newReader(db, invoices, func(f readmodel.InvoiceFilter) sq.And {
		and := contains(sq.And{}, "r.number_key", f.Number)
		and = equals(and, "r.client_id", f.ClientID)
		and = equals(and, "r.deal_id", f.DealID)
		and = ofCompany(and, f.Company)
		and = equals(and, "r.user_id", f.UserID)
		and = equals(and, "r.type_id", f.TypeID)
		and = equals(and, "r.status", f.Status)
		and = within(and, "r.date", "?", f.Year, f.Month)
		return within(and, "r.paid_on", localInstant, f.PaidYear, f.PaidMonth)
	})
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
	lists: map[string]list{"items": {
		from:    "invoice_items l where l.invoice_id = r.id",
		order:   "l.id",
		columns: embedded("", "l", readmodel.InvoiceItems.Attributes),
	}},
}

// NewInvoiceItems makes the reader of the lines of invoices.
func NewInvoiceItems(db Querier) readmodel.Reader[readmodel.InvoiceItemFilter] {
	return newReader(db, invoiceItems, func(f readmodel.InvoiceItemFilter) sq.And {
		and := equals(sq.And{}, "r.invoice_id", f.InvoiceID)
		return contains(and, "r.name_key", f.Name)
	})
}

var invoiceItems = &model{
	resource: readmodel.InvoiceItems,
	table:    "invoice_items",
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
}

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
			numbers = append(numbers, fmt.Sprint(uint8(s)))
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

// ofCompany narrows to the invoices of clients whose name holds the text.
func ofCompany(and sq.And, text string) sq.And {
	if text == "" {
		return and
	}
	return append(and, sq.Expr("r.client_id in (select c.id from clients c where c.name_key like ?)", textkey.Containing(text)))
}

// localInstant turns a wall clock's time into the instant that it is in the
// connection's zone, which is the service's.
const localInstant = "?::timestamp::timestamptz"

// within narrows to the rows whose column lies in the year, the month of the
// year, or the month of any year. A year is a range, so that an index serves
// it; bound is the placeholder of its ends.
func within(and sq.And, column, bound string, year, month optional.Of[int]) sq.And {
	y, hasYear := year.Get()
	m, hasMonth := month.Get()
	switch {
	case hasYear && hasMonth:
		from := time.Date(y, time.Month(m), 1, 0, 0, 0, 0, time.UTC)
		return between(and, column, bound, from, from.AddDate(0, 1, 0))
	case hasYear:
		from := time.Date(y, time.January, 1, 0, 0, 0, 0, time.UTC)
		return between(and, column, bound, from, from.AddDate(1, 0, 0))
	case hasMonth:
		return append(and, sq.Expr("extract(month from "+column+") = ?", m))
	}
	return and
}

func between(and sq.And, column, bound string, from, until time.Time) sq.And {
	return append(and, sq.Expr(column+" >= "+bound, from), sq.Expr(column+" < "+bound, until))
}

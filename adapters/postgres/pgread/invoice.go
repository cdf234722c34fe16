package pgread

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewInvoices returns the reader of invoices.
func NewInvoices(db Querier) readmodel.Reader[readmodel.InvoiceFilter] {
	type asked = readmodel.InvoiceFilter
	company := containing(listdef.Clients, "company", func(f asked) string { return f.Company })
	company.search.ref = "client_id"
	// The index invoices_by_month has the status behind the month.
	byStatus := &parts{column: "status", values: statusNumbers(), unless: []string{"user_id", "status"}}
	return newReader(db, invoices,
		inMonths("paid_month", nil, func(f asked) []any { return monthRange(f.PaidYear, f.PaidMonth) }),
		inMonthOfAnyYear("paid_month", nil, func(f asked) []any { return monthOfAnyYear(f.PaidYear, f.PaidMonth) }),
		inMonths("month", byStatus, func(f asked) []any { return monthRange(f.Year, f.Month) }),
		inMonthOfAnyYear("month", byStatus, func(f asked) []any { return monthOfAnyYear(f.Year, f.Month) }),
		anyOf("user_id", func(f asked) []user.ID { return f.UserIDs }),
		anyOf("type_id", func(f asked) []catalog.InvoiceTypeID { return f.TypeIDs }),
		anyOf("status", func(f asked) []invoice.Status { return f.Statuses }),
		anyOf("client_id", func(f asked) []client.ID { return f.ClientIDs }).few(),
		equal("deal_id", func(f asked) domain.Optional[deal.ID] { return f.DealID }).few(),
		containing(listdef.Invoices, "number", func(f asked) string { return f.Number }),
		company,
		withRef(func(f asked) string { return f.Ref }),
		updatedSince("updated_on", func(f asked) readmodel.Instant { return f.UpdatedSince }),
		withID(func(f asked) []invoice.ID { return f.IDs }),
		dated("date_from", "r.date >= ?::text::date", func(f asked) readmodel.Date { return f.DateFrom }),
		dated("date_to", "r.date < ?::text::date + 1", func(f asked) readmodel.Date { return f.DateTo }),
		// An index has a day more; of these the date in the zone decides, since a day may have two midnights.
		dated("paid_from", "r.paid_on >= ?::text::timestamptz - interval '1 day' and r.paid_on::date >= ?::text::date",
			func(f asked) readmodel.Date { return f.PaidFrom }),
		dated("paid_to", "r.paid_on < ?::text::timestamptz + interval '2 days' and r.paid_on::date <= ?::text::date",
			func(f asked) readmodel.Date { return f.PaidTo }),
		filter[asked]{
			condition{name: "credits", where: "r.credits = any(?::bigint[])", selective: true},
			func(f asked) []any {
				if slices.Contains(f.Credits, 0) {
					return nil
				}
				return numberList(f.Credits)
			},
		},
		filter[asked]{
			condition{name: "credits", where: "coalesce(r.credits, 0) = any(?::bigint[])", unindexed: true},
			func(f asked) []any {
				if !slices.Contains(f.Credits, 0) {
					return nil
				}
				return numberList(f.Credits)
			},
		},
		// The amounts are also those of a partial index.
		flagged("due", "r.status <> ? and r.owed_price <> r.paid_price + r.waived_price", int64(invoice.Cancelled),
			func(f asked) bool { return f.Due }),
		dated("due_from", "r.due_date >= ?::text::date and "+isPayable, func(f asked) readmodel.Date { return f.DueFrom }),
		dated("due_before", "r.due_date < ?::text::date and "+isPayable,
			func(f asked) readmodel.Date { return f.DueBefore }),
		// Today is that in the zone of the connection.
		flagged("overdue", "r.status = ? and r.due_date < current_date and "+isDue, int64(invoice.NotPaid),
			func(f asked) bool { return f.Overdue }),
	)
}

// isDue is whether the invoice can be due: it is neither a credit note nor a draft.
var isDue = "r.credits is null and " + isNoDraft

// isPayable is whether somebody has had to pay the invoice by a day, or has to.
var isPayable = "r.status <> " + statusNumber(invoice.Cancelled) + " and " + isDue

var isNoDraft = "(r.issued_on is not null or r.number <> '" + strings.TrimSuffix(performer.DraftPattern.String(), "{seq}") + "' || r.id)"

var invoices = mapped(mapping{
	resource: readmodel.Invoices,
	table:    "invoices",
	columns: map[string]string{
		"paid":      statusIn(invoice.Status.Paid),
		"closed":    statusIn(invoice.Status.Closed),
		"update_on": "r.updated_on",
		"status.id": "r.status",
		"due_price": "(case when r.status = " + statusNumber(invoice.Cancelled) +
			" then 0 else r.owed_price - r.paid_price - r.waived_price end)::numeric(19, 4)",
		"deal.user": "d.user_id",
	},
	joins: map[string]join{
		"performer.": {"p", "left join performers p on p.id = r.performer_id"},
		"type.":      {"t", "left join invoice_types t on t.id = r.type_id"},
		"company.":   {"c", "left join clients c on c.id = r.client_id"},
		"manager.":   {"u", "left join users u on u.id = r.user_id"},
		"status.":    {"s", "left join (values " + statusNames() + ") s (id, name) on s.id = r.status"},
		"deal.":      {"d", "left join deals d on d.id = r.deal_id"},
	},
	indexed: []string{"number", "date", "paid_on", "updated_on", "update_on", "total_price", "pay_price"},
	list:    listdef.Invoices,
	nested: map[string]nested{
		"items": linesOfInvoice, "vat": vatOfInvoice, "adjustments": adjustmentsOf("r.adjustments"), "terms.notes": notesOfTerms,
		"payments": paymentsOfInvoice,
	},
})

var linesOfInvoice = nested{
	from: "invoice_lines l where l.invoice_id = r.id", alias: "l", order: "l.id",
	nested: map[string]nested{"adjustments": adjustmentsOf("l.adjustments")},
}

var paymentsOfInvoice = nested{
	from:    "allocations l join payments p on p.id = l.payment_id where l.invoice_id = r.id and l.reversed_at is null",
	alias:   "l",
	order:   "l.date, l.payment_id",
	columns: map[string]string{"id": "l.payment_id", "automatic": "p.automatic_of is not null"},
}

// notesOfTerms are the notes in a column with terms.
var notesOfTerms = nested{
	from:    "jsonb_array_elements(r.terms -> 'notes') with ordinality n (note, place) where n.note <> '{}'",
	columns: map[string]string{"text": "n.note ->> 'text'", "subject_code": "n.note ->> 'subject_code'"},
	order:   "n.place",
}

// adjustmentsOf are those in a column.
func adjustmentsOf(column string) nested {
	return nested{
		from: `rows from (jsonb_to_recordset(` + column + `)
            as (reason text, percent numeric(5, 2), amount numeric(19, 4), vat_category text, vat_percent numeric(5, 2)))
            with ordinality a (reason, percent, amount, vat_category, vat_percent, place)`,
		alias:   "a",
		order:   "a.place",
		columns: map[string]string{"vat_percent": "case when a.vat_category is not null then coalesce(a.vat_percent, 0.00) end"},
	}
}

// vatOfInvoice are the amounts of an invoice by VAT rate: those that are stored, or, if there is one rate, those of the invoice. The VAT
// category of the performer is that of its party today, which lines may have as their own too.
var vatOfInvoice = nested{
	from: `(
        select v.vat_category, v.vat_percent, sum(v.total_price) as total_price, sum(v.vat_price) as vat_price
        from (
            select s.vat_percent, s.total_price, s.vat_price, coalesce(s.vat_category, case
                when r.vat_use and r.vat_percent > 0 then 'standard'
                else coalesce((select o.vat_category from parties o where o.performer_id = r.performer_id),
                    case when r.vat_use then 'zero' else 'exempt' end)
            end) as vat_category
            from (
                select *
                from jsonb_to_recordset(r.vat)
                    as x (vat_category text, vat_percent numeric(5, 2), total_price numeric(19, 4), vat_price numeric(19, 4))
                union all
                select null, case when r.vat_use then r.vat_percent else 0.00 end, r.total_price, r.vat_price
                where r.vat is null and r.total_count > 0
            ) s
        ) v
        group by v.vat_category, v.vat_percent
    ) l`,
	alias: "l",
	order: "l.vat_percent desc, l.vat_category",
}

// NewInvoiceInputs returns the reader of the values from which the amounts of
// invoices are computed.
func NewInvoiceInputs(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, invoiceInputs)
}

var invoiceInputs = mapped(mapping{
	resource: readmodel.InvoiceInputs,
	table:    "invoices",
	nested: map[string]nested{
		"items": linesOfInvoice, "former": formerLines, "adjustments": adjustmentsOf("r.adjustments"), "former_adjustments": formerAdjustments,
	},
})

// isFormer is whether f is a credit note before r, of the same invoice. Crediting locks the invoice. The ids of a company that was
// moved to another node are not in the order of creation.
const isFormer = "(f.issued_on, f.id) < (r.issued_on, r.id)"

// formerLines are what the credit notes before r have of the lines of the invoice.
var formerLines = nested{
	from: `(
        select c.credits, c.vat_category, c.vat_percent, sum(c.count) as count, sum(c.total_price) as total_price
        from invoices f
        join invoice_lines c on c.invoice_id = f.id
        where f.credits = r.credits and ` + isFormer + `
        group by c.credits, c.vat_category, c.vat_percent
    ) l`,
	alias:   "l",
	order:   "l.credits",
	columns: map[string]string{"id": "l.credits"},
}

// formerAdjustments are what the credit notes before r have of the adjustments of the invoice.
var formerAdjustments = func() nested {
	n := adjustmentsOf("f.adjustments")
	n.from = `(
        select min(a.reason) as reason, null::numeric as percent, sum(a.amount) as amount, min(a.vat_category) as vat_category,
            min(a.vat_percent) as vat_percent, a.place
        from invoices f, ` + n.from + `
        where f.credits = r.credits and ` + isFormer + `
        group by a.place
    ) a`
	return n
}()

// NewInvoiceItems returns the reader of the lines of invoices.
func NewInvoiceItems(db Querier) readmodel.Reader[readmodel.InvoiceItemFilter] {
	type asked = readmodel.InvoiceItemFilter
	return newReader(db, invoiceItems,
		equal("invoice_id", func(f asked) domain.Optional[invoice.ID] { return f.InvoiceID }).few(),
		filter[asked]{
			condition{name: "name", where: listdef.SearchKey("r.name_key") + " like ?", unindexed: true}, // few search the lines of all invoices
			func(f asked) []any { return pattern(f.Name) },
		},
	)
}

var invoiceItems = mapped(mapping{
	resource: readmodel.InvoiceItems,
	table:    "invoice_lines",
	indexed:  []string{"total_price"},
	long:     []string{"name"},
	list:     listdef.InvoiceLines,
	nested:   map[string]nested{"adjustments": adjustmentsOf("r.adjustments")},
})

var invoiceStatuses = []invoice.Status{invoice.NotPaid, invoice.Paid, invoice.Closed, invoice.Cancelled}

// statusIn returns the predicate that an invoice has one of the statuses for
// which the domain says so.
func statusIn(is func(invoice.Status) bool) string {
	var numbers []string
	for _, s := range invoiceStatuses {
		if is(s) {
			numbers = append(numbers, statusNumber(s))
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
		numbers[i] = statusNumber(s)
	}
	return numbers
}

func statusNumber(s invoice.Status) string { return strconv.Itoa(int(s)) }

// dated returns the filter for the invoices that meet the condition on a date, which has a ? for it or several.
func dated(param, where string, date func(readmodel.InvoiceFilter) readmodel.Date) filter[readmodel.InvoiceFilter] {
	return filter[readmodel.InvoiceFilter]{condition{name: param, where: where}, func(f readmodel.InvoiceFilter) []any {
		args := text(string(date(f)))
		if args != nil && strings.Count(where, "?") == 2 {
			args = append(args, args[0])
		}
		return args
	}}
}

// inMonths returns the filter for a range of months. Totals have numbers that are
// no months: these are not positive, whereas the year 0 begins with month 0.
func inMonths[F any](column string, p *parts, arguments func(F) []any) filter[F] {
	between := "." + column + " between ? and ?"
	return filter[F]{condition{
		name: column, where: "r" + between, column: column, counted: "t." + column + " > 0 and t" + between,
		runs: &runs{column: column, values: inRange, parts: p},
	}, arguments}
}

func inMonthOfAnyYear[F any](column string, p *parts, arguments func(F) []any) filter[F] {
	return filter[F]{condition{
		name: column, where: "mod(r." + column + ", 12) = ?", column: column, counted: "t." + column + " > 0 and mod(t." + column + ", 12) = ?",
		runs: &runs{column: column, values: monthOfEachYear, parts: p},
	}, arguments}
}

// monthRange returns the first and the last month of the year, or the month of it
// twice, counted from January of the year 0; nothing without a year.
func monthRange(year, month domain.Optional[int]) []any {
	y, ok := year.Get()
	if !ok {
		return nil
	}
	if m, ok := month.Get(); ok {
		return []any{y*12 + m - 1, y*12 + m - 1}
	}
	return []any{y * 12, y*12 + 11}
}

// monthOfAnyYear returns the month, counted from 0; nothing with a year.
func monthOfAnyYear(year, month domain.Optional[int]) []any {
	m, ok := month.Get()
	if _, hasYear := year.Get(); hasYear || !ok {
		return nil
	}
	return []any{m - 1}
}

package pgread

import (
	"context"
	"slices"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// report reads one report by one statement: a row for each key and currency, one for each currency, and one for the report itself.
//
// Chose: the sums of rows and of totals are those of one scan, of decimal numbers. Because: columns then always add up. Costs: a row
// cannot be rounded.
//
// Chose: a report is always a slow query. Because: what it looks at grows with the period, and with what has changed since the day.
// Costs: one that is fast waits for slow ones too.
type report struct {
	db        Querier
	gate      *gate.Gate
	resource  *readmodel.Resource
	maxRows   int
	advice    string // what would be faster
	statement func(q readmodel.ReportQuery) reportStatement
}

// maxReportRows bounds the memory of a report, whose rows are not on pages.
const maxReportRows = 50_000

func newReport(db Querier, r *readmodel.Resource, advice string, s func(q readmodel.ReportQuery) reportStatement) readmodel.Report {
	n := &report{db: db, resource: r, maxRows: maxReportRows, advice: advice, statement: s}
	if g, ok := db.(gated); ok {
		n.db, n.gate = g.Querier, g.gate
	}
	return n
}

// reportStatement is what differs between reports. Its facts have the columns of the values, which are added up, the currency and the
// keys; $1 and so on are the arguments.
type reportStatement struct {
	head      []string // the parameters, in the order of the attributes
	facts     string   // clauses for with, of which the last is facts
	keys      []string // columns of facts by which the rows are grouped
	dimension dimension
	order     string            // before the order by keys; "" for none
	sums      map[string]string // how a value is added up if it is not a sum
	args      []any
}

// dimension is what has the rows of a report.
type dimension struct {
	key         string // of an invoice r; "": the rows have no names
	table, name string // of the records with that id; "": the key is the name
}

var dimensions = map[string]dimension{
	"client":    {"r.client_id", "clients", "name"},
	"performer": {"r.performer_id", "performers", "name"},
	"invoice":   {"r.id", "invoices", "number"},
	"type":      {"r.type_id", "invoice_types", "name"},
	"month":     {key: "to_char(f.day, 'YYYY-MM')"},
}

// The grouping of the rows of a statement.
const (
	itemLevel  = "0"
	totalLevel = "2" // without the key
)

func (s reportStatement) sql(values []readmodel.Attribute) string {
	var columns, sums []string
	for _, head := range s.head {
		columns = append(columns, "case when g.level = 3 then "+head+" end")
	}
	order, join := "", ""
	switch d := s.dimension; {
	case d.table != "":
		columns, join = append(columns, "g.key", "k."+d.name), "\nleft join "+d.table+" k on k.id = g.key"
		order = "k." + d.name + "_key, g.key, "
	case d.key != "":
		columns, order = append(columns, "null", "g.key"), "g.key, "
	default:
		columns = append(columns, s.keys...)
	}
	for _, v := range values {
		sum := s.sums[v.Name]
		if sum == "" {
			sum = "coalesce(sum(f." + v.Name + "), 0)"
		}
		if v.Kind == readmodel.Money {
			sum += "::numeric(38, 4)"
		}
		columns, sums = append(columns, "g."+v.Name), append(sums, sum+" as "+v.Name)
	}
	last, keys := s.keys[len(s.keys)-1], commas(s.keys)
	return "with " + s.facts + "\nselect g.level, g.currency, " + commas(columns) + "\nfrom (\n" +
		"    select grouping(f." + last + ", f.currency) as level, " + keys + ", f.currency, " + commas(sums) + "\n    from facts f\n" +
		"    group by grouping sets ((" + keys + ", f.currency), (f.currency), ())\n) g" + join +
		"\norder by g.level, " + s.order + order + "g.currency nulls first"
}

// currencyOf is the currency of an invoice r, whose performer has the party y; null if neither says it.
const currencyOf = `coalesce(r.currency, y.currency) collate "C"`

// isOwed is whether anyone owes the invoice: it is no draft, and was not cancelled in place of being credited.
var isOwed = isNoDraft + " and (r.status <> " + statusNumber(invoice.Cancelled) + " or r.issued_on is not null)"

// Read implements readmodel.Report.
func (r *report) Read(ctx context.Context, q readmodel.ReportQuery) (*readmodel.Rows, error) {
	leave, err := r.gate.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	n := len(r.resource.Attributes)
	items, totals := r.resource.Attributes[n-2], r.resource.Attributes[n-1]
	s := r.statement(q)
	into := newReportRows(r.resource, q.Select)
	keys := len(items.Of) - len(totals.Of)
	err = run(ctx, r.db, sq.Expr(s.sql(totals.Of[1:]), s.args...), func(cells [][]byte) error {
		level, currency, head, rest := string(cells[0]), cells[1], cells[2:n], cells[n:]
		switch level {
		case itemLevel:
			if into.items++; into.items > r.maxRows {
				return fault.ForField(fault.Malformed, "by", "would have more than %d rows: choose another one", r.maxRows)
			}
			into.add("items", items.Of, slices.Concat(rest[:keys], [][]byte{currency}, rest[keys:]))
		case totalLevel:
			into.add("totals", totals.Of, slices.Concat([][]byte{currency}, rest[keys:]))
		default:
			into.head = slices.Clone(head)
			for i := range into.head {
				into.head[i] = slices.Clone(head[i]) // of a buffer that is used again
			}
		}
		return nil
	})
	switch {
	case ctx.Err() == nil && postgres.IsStatementTimeout(err):
		return nil, fault.New(fault.TooSlow, "the database did not finish this in time, and repeating it will not help: %s", r.advice).
			WithCause(err)
	case err != nil:
		return nil, err
	}
	return into.rows(), nil
}

// reportRows collects the cells of a report that the selection has.
type reportRows struct {
	resource  *readmodel.Resource
	selection *readmodel.Selection
	items     int // rows so far
	head      [][]byte
	lists     map[string]*readmodel.Rows
}

func newReportRows(r *readmodel.Resource, s *readmodel.Selection) *reportRows {
	lists := map[string]*readmodel.Rows{}
	for column, inner := range s.Lists {
		lists[s.Paths[column]] = readmodel.NewRows(len(inner.Paths))
	}
	return &reportRows{resource: r, selection: s, lists: lists}
}

func (r *reportRows) add(list string, attributes []readmodel.Attribute, cells [][]byte) {
	rows := r.lists[list]
	if rows == nil {
		return
	}
	inner := r.selection.Lists[slices.Index(r.selection.Paths, list)]
	for _, path := range inner.Paths {
		rows.Append(cells[slices.IndexFunc(attributes, func(a readmodel.Attribute) bool { return a.Name == path })])
	}
	rows.Total++
}

func (r *reportRows) rows() *readmodel.Rows {
	rows := readmodel.NewRows(len(r.selection.Paths))
	rows.Total = 1
	for i, path := range r.selection.Paths {
		at := slices.IndexFunc(r.resource.Attributes, func(a readmodel.Attribute) bool { return a.Name == path })
		switch {
		case r.selection.Lists[i] != nil:
			rows.AppendList(r.lists[path])
		case at < 0:
			rows.Append([]byte("0")) // a report has no version
		default:
			rows.Append(r.head[at])
		}
	}
	return rows
}

// optional returns the argument for a parameter, of which an empty one is null.
func optional[T ~string](s T) any {
	if s == "" {
		return nil
	}
	return string(s)
}

// literal is a text as SQL has it; the texts are the program's own.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

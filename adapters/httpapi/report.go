package httpapi

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/page"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// report is what differs between reports.
type report struct {
	name, record string
	table        *readmodel.Resource
	ask          func(p *params) readmodel.ReportQuery
	bar          string // the value that the chart shows of each row; "": it shows the values of the totals
	note         string // below the chart
	does         string
}

var reports = []report{
	{
		name: "receivables", record: "Receivables", table: readmodel.Receivables,
		note: "An invoice without a due date is due on its date.",
		ask: func(p *params) readmodel.ReportQuery {
			return readmodel.ReportQuery{
				At: reportDay(p), KnownAt: instantParam(p, "known_at", "Only what was known at this instant (default: all)"),
				By: chosen(p, "by", "What has a row each", "client", "performer", "invoice"),
			}
		},
		does: "What was due at the end of a day, by how many days it was overdue. Invoices dated by then count with what was not settled " +
			"by then; drafts do not. With `known_at`, later records do not count either.",
	},
	{
		name: "revenue", record: "Revenue", table: readmodel.Revenue, bar: "gross",
		ask: func(p *params) readmodel.ReportQuery {
			q := reportPeriod(p)
			q.By = chosen(p, "by", "What has a row each", "month", "client", "performer", "type")
			return q
		},
		does: "What was invoiced in a period (`issued`), less what was credited; or what payments have settled of it (`received`), of which " +
			"each invoice has the part of VAT that its amount has.",
	},
	{
		name: "vat", record: "VATReport", table: readmodel.VAT, bar: "vat",
		ask:  reportPeriod,
		does: "The VAT on what was invoiced in a period, or received, by VAT category and rate. It adds up to that of the revenue.",
	},
	{
		name: "overdue", record: "Overdue", table: readmodel.Overdue, bar: "total",
		ask: func(p *params) readmodel.ReportQuery {
			return readmodel.ReportQuery{At: reportDay(p), By: chosen(p, "by", "What has a row each", "client")}
		},
		does: "Who owed what was due before a day: the largest sum first.",
	},
}

// Reports returns the reports, in the order of their readers here.
func Reports(receivables, revenue, vat, overdue readmodel.Report) (resource Resource) {
	for i, reader := range []readmodel.Report{receivables, revenue, vat, overdue} {
		resource = append(resource, reports[i].route(reader))
	}
	return resource
}

func (t report) route(reader readmodel.Report) route {
	r := endpoint[readmodel.NoFilter]{path: "report", table: t.table, format: jsonFormat, record: t.record, docs: &reportDocs}
	t.ask(&params{documented: &r.parameters})
	action := apidoc.Action{
		ID: "report" + apidoc.Capital(t.name), Summary: "Report of " + t.table.Name, IsReport: true, Does: t.does,
		Succeeded: "The report: `items` has the rows, `totals` their sums, one for each currency. CSV has the rows.",
		Problems:  []int{}, Parameters: []string{}, Headers: []string{},
	}
	return r.action(http.MethodGet, "/"+t.name, apidoc.Read, &action, func(c *call) (*response, error) {
		p := c.params()
		q := t.ask(p)
		var err error
		if q.Select, err = r.selection(c, p); err != nil {
			return nil, err
		}
		rows, err := reader.Read(c, q)
		if err != nil {
			return nil, err
		}
		a := &response{rows: rows, selection: q.Select, isUntagged: true}
		if c.format == csvFormat {
			a, err = a.items()
		}
		return a, err
	})
}

// items is a report as its rows.
func (a *response) items() (*response, error) {
	i := slices.IndexFunc(a.selection.Nodes, func(n readmodel.Node) bool { return n.Name == "items" })
	if i < 0 {
		return nil, fault.ForField(fault.Malformed, "fields", "names no items, of which CSV consists")
	}
	n := a.selection.Nodes[i]
	return &response{rows: a.rows.List(0, n.Column), selection: n.Inner, isUntagged: true}, nil
}

func reportDay(p *params) readmodel.Date {
	return dateParam(p, "at", "The day; default: today, in the time zone of the service.")
}

func reportPeriod(p *params) readmodel.ReportQuery {
	q := readmodel.ReportQuery{
		From: dateParam(p, "from", "The first day; default: that of the year of `to`."),
		To:   dateParam(p, "to", "The last day; default: today, in the time zone of the service, or a later `from`."),
	}
	if q.To != "" && q.To < q.From {
		p.reject("to", "must not be before from")
	}
	q.Basis = chosen(p, "basis", "What counts", readmodel.Issued, readmodel.Received)
	return q
}

// chosen returns a parameter that is one of the values, of which the first is the default.
func chosen(p *params, name, about string, values ...string) string {
	p.declare(name, func() (apidoc.Schema, string) {
		return apidoc.OneOf(values...), about + "; default: " + values[0] + "."
	})
	p.choices(values...)
	undocumented := &params{query: p.query}
	value := choice(undocumented, name, values, func(s string) (string, bool) { return s, slices.Contains(values, s) })
	p.wrong = append(p.wrong, undocumented.wrong...)
	return value.Or(values[0])
}

// reportPage is the report as a page, whose charts show one currency each.
func (c *call) reportPage(o apidoc.Operation, a *response, values page.Values) page.Report {
	title := apidoc.Capital(o.Table.Name)
	r := page.Report{Frame: c.api.frame(c.http, title), Form: c.form(o), CSV: c.with("_format", "csv"), Related: c.api.reportLinks()}
	by := ""
	for _, f := range values.FieldsOf(a.rows) {
		switch f.Name {
		case "items":
			r.Items = *f.Table
		case "totals":
			r.Totals = *f.Table
		default:
			r.Fields = append(r.Fields, f)
			if f.Name == "by" {
				by = strings.Replace(f.Text, "type", "invoice-type", 1)
			}
		}
	}
	r.Items.Name, r.Totals.Name = title, "Totals"
	if items, err := a.items(); err == nil && c.api.templates["/rest/"+by+"/:id"] != "" {
		c.linkLabels(&r.Items, items, page.Values{Link: func(_ *readmodel.Attribute, id string) string {
			return c.api.basePath() + "/rest/" + by + "/" + id
		}})
	}
	t := reports[slices.IndexFunc(reports, func(t report) bool { return t.table == o.Table })]
	currency := r.Totals.Column("currency")
	for _, total := range r.Totals.Rows {
		if currency < 0 {
			break
		}
		chart := page.Chart{Title: strings.TrimSpace(title + " " + total[currency].Text), Note: t.note}
		if t.bar == "" {
			for i, column := range r.Totals.Columns {
				if i != currency && column.Name != "total" {
					chart.Add(apidoc.Words(column.Name), total[i])
				}
			}
		} else {
			chart.Title += ": " + apidoc.Words(t.bar)
			t.addBars(&chart, r.Items, total[currency].Text)
		}
		r.Charts = append(r.Charts, chart.Drawn())
	}
	return r
}

// maxLabel is how many characters of a name a chart shows.
const maxLabel = 26

func (t report) addBars(chart *page.Chart, items page.Table, currency string) {
	label, value, in := items.Column("name"), items.Column(t.bar), items.Column("currency")
	if label < 0 {
		label = items.Column("vat_category")
	}
	if label < 0 || value < 0 || in < 0 {
		return
	}
	for _, row := range items.Rows {
		if row[in].Text != currency {
			continue
		}
		name := cmp.Or(row[label].Text, "–")
		if percent := items.Column("vat_percent"); percent >= 0 {
			name += " " + row[percent].Text
		}
		chart.Add(text.Truncate(name, maxLabel), row[value])
	}
}

var reportDocs = apidoc.Docs{
	Description: "Reports add up invoices and payments. The sums are exact, and the columns of the rows add up to those of the totals. " +
		"Amounts in different currencies are not added.",
	Attributes: apidoc.Attributes{
		"at":       "The day.",
		"known_at": "The instant; null: all that is known.",
		"from":     "The first day.",
		"to":       "The last day.",
		"basis":    "What counts.",
		"by":       "What has a row each.",
		"items":    "The rows.",
		"totals":   "The sums of the rows, by currency.",
	},
	Embedded: map[string]apidoc.Attributes{
		"ReceivablesRow": receivablesColumns, "ReceivablesTotal": receivablesColumns,
		"RevenueRow": revenueColumns, "RevenueTotal": revenueColumns,
		"VATRow": vatColumns, "VATTotal": vatColumns,
		"OverdueRow": overdueColumns, "OverdueTotal": overdueColumns,
	},
}

const currencyColumn = "The currency of the invoices, or else of their performer's party; null if that has none."

var (
	receivablesColumns = apidoc.Attributes{
		"id": "The client, performer or invoice.", "name": "Its name or number.", "currency": currencyColumn,
		"not_due":         "What was not due before the day.",
		"overdue_1_30":    "What was due 1 to 30 days before. What has no due date was due on the date of its invoice.",
		"overdue_31_60":   "What was due 31 to 60 days before.",
		"overdue_61_90":   "What was due 61 to 90 days before.",
		"overdue_over_90": "What was due more than 90 days before.",
		"credit":          "What is to be paid back, below 0.",
		"total":           "The sum of these.",
	}
	revenueColumns = apidoc.Attributes{
		"id": "The client, performer or invoice type; null for a month.", "name": "Its name; of a month, YYYY-MM.", "currency": currencyColumn,
		"count":  "How many invoices and credit notes were issued, or for how many money was received; in each row.",
		"net":    "Without VAT.",
		"vat":    "The VAT.",
		"gross":  "The sum of net and VAT.",
		"waived": "What was waived of the invoices; received: what was waived in the period, which is not in `gross`.",
	}
	vatColumns = apidoc.Attributes{
		"vat_category": "The VAT category.", "vat_percent": "The VAT rate, in percent.", "currency": currencyColumn,
		"taxable": "The amounts without VAT.", "vat": "The VAT on them.",
	}
	overdueColumns = apidoc.Attributes{
		"id": "The client.", "name": "Its name.", "currency": currencyColumn,
		"count": "How many invoices were overdue.", "oldest": "The earliest due date of them.", "total": "What was due of them.",
	}
)

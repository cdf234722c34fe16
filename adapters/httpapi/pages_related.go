package httpapi

import (
	"cmp"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/page"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// beside reads what another path shows, for the page of this call. Without a response, the page does without it: the token
// has no scope for it, there is no such record, or it would take too long.
func (c *call) beside(path string, id int64, f format, parameters ...string) (*call, *response) {
	for i := range c.tenant.routes {
		r := &c.tenant.routes[i]
		if r.path != path || r.method != http.MethodGet {
			continue
		}
		s := *c
		s.target, s.format, s.query = target{route: r, id: id, isBeside: true}, f, queryString{Values: url.Values{}}
		for pair := range slices.Chunk(parameters, 2) {
			s.query.Set(pair[0], pair[1])
		}
		if s.checkScope() != nil {
			return &s, nil
		}
		a, err := r.handle(&s)
		if err != nil {
			return &s, nil
		}
		return &s, a
	}
	return nil, nil
}

// valuesOf returns the values of the rows of a response.
func (c *call) valuesOf(o apidoc.Operation, a *response) page.Values {
	v := page.Values{Selection: a.selection, Link: c.linkTo(o.Tag), Resource: o.Tag, IsReport: c.route.isReport()}
	isNamed := lastOf(c.query.Values, "fields") != "" || lastOf(c.query.Values, "expand") != ""
	if a.isList && !isNamed && len(c.route.columns) > 0 {
		v.Columns = c.route.columns
	}
	switch o.Table {
	case readmodel.Invoices:
		v.Currency = c.currencies(&v)
		if slices.Contains(a.selection.Paths, "status.id") {
			today := c.today(0)
			v.Badge = func(rows *readmodel.Rows, row int) page.Value {
				word := stateOf(func(path string) string { return v.Cell(rows, row, path) }, today)
				return page.Value{Text: word, Badge: strings.ReplaceAll(word, " ", "-")}
			}
		}
	case readmodel.Payments:
		v.Currency = c.currenciesOfPayments(&v, a)
	}
	return v
}

// today is a day in the zone of the service, so many days from today.
func (c *call) today(days int) string {
	zone, err := time.LoadLocation(c.tenant.timeZone)
	if err != nil {
		zone = time.UTC
	}
	return time.Now().In(zone).AddDate(0, 0, days).Format(time.DateOnly)
}

// isDraft reports whether an invoice with these cells is a draft, which nobody owes.
func isDraft(cell func(path string) string) bool {
	return cell("issued_on") == "" && cell("number") == strings.Replace(performer.DraftPattern.String(), "{seq}", cell("id"), 1)
}

// creditNote is the state of a credit note.
const creditNote = "credit note"

// stateOf returns the word for the state of an invoice with these cells.
func stateOf(cell func(path string) string, today string) string {
	due, status := cell("due_date"), cell("status.id")
	switch {
	case isDraft(cell):
		return "draft"
	case cell("credits") != "":
		return creditNote
	case status == strconv.Itoa(int(invoice.Cancelled)) && cell("issued_on") != "":
		return "credited"
	case status == strconv.Itoa(int(invoice.Cancelled)):
		return "cancelled"
	case status != strconv.Itoa(int(invoice.NotPaid)):
		return "paid"
	case due != "" && due < today:
		return "overdue"
	}
	return "issued"
}

// currencies returns the currency of a row that names none: that of the party of its performer.
func (c *call) currencies(v *page.Values) func(rows *readmodel.Rows, row int) string {
	known := map[string]string{}
	return func(rows *readmodel.Rows, row int) string {
		seller := cmp.Or(v.Cell(rows, row, "performer.id"), v.Cell(rows, row, "performer_id"))
		currency, isKnown := known[seller]
		if id, ok := recordID(seller); ok && !isKnown {
			if _, party := c.beside("/rest/performer/:id/party", id, jsonFormat, "fields", "currency"); party != nil {
				currency = page.Values{Selection: party.selection}.Cell(party.rows, 0, "currency")
			}
			known[seller] = currency
		}
		return currency
	}
}

// currenciesOfPayments returns the currency of payments: that of the invoices that they settle, or else of the performer's party.
func (c *call) currenciesOfPayments(v *page.Values, a *response) func(rows *readmodel.Rows, row int) string {
	items := slices.IndexFunc(a.selection.Nodes, func(n readmodel.Node) bool { return n.Name == "items" })
	settled := func(row int) string {
		if items < 0 {
			return ""
		}
		n := a.selection.Nodes[items]
		if list := a.rows.List(row, n.Column); list != nil && list.Len() > 0 {
			return page.Values{Selection: n.Inner}.Cell(list, 0, "invoice_id")
		}
		return ""
	}
	var ids []string
	for row := range a.rows.Len() {
		if id := settled(row); id != "" {
			ids = append(ids, id)
		}
	}
	of := map[string]string{}
	if _, found := c.beside("/rest/invoice", 0, jsonFormat, "id", strings.Join(ids, ","), "fields", "id,currency,performer.id",
		"per_page", strconv.Itoa(readmodel.MaxPerPage)); found != nil && len(ids) > 0 {
		invoices := page.Values{Selection: found.selection}
		invoices.Currency = c.currencies(&invoices)
		for row := range found.rows.Len() {
			of[invoices.Cell(found.rows, row, "id")] = invoices.CurrencyOf(found.rows, row)
		}
	}
	own := c.currencies(v)
	return func(rows *readmodel.Rows, row int) string {
		if currency, ok := of[settled(row)]; ok {
			return currency
		}
		return own(rows, row)
	}
}

// name replaces the ids of records by their names, as far as these can be read.
func (c *call) name(values ...*page.Value) {
	of := map[string][]*page.Value{}
	var collect func(v *page.Value)
	collect = func(v *page.Value) {
		if v.Refers != "" {
			of[v.Refers] = append(of[v.Refers], v)
		}
		for i := range v.Fields {
			collect(&v.Fields[i].Value)
		}
		if v.Table != nil {
			for _, row := range v.Table.Rows {
				for i := range row {
					collect(&row[i])
				}
			}
		}
	}
	for _, v := range values {
		collect(v)
	}
	for resource, found := range of {
		var ids []string
		for _, v := range found {
			ids = append(ids, v.Raw)
		}
		slices.Sort(ids)
		_, a := c.beside("/rest/"+resource, 0, jsonFormat, "id", strings.Join(slices.Compact(ids), ","),
			"per_page", strconv.Itoa(readmodel.MaxPerPage))
		if a == nil {
			continue
		}
		names := map[string]string{}
		labels := page.Values{Selection: a.selection}
		for row := range a.rows.Len() {
			names[labels.Cell(a.rows, row, "id")] = labels.NameOf(a.rows, row)
		}
		for _, v := range found {
			v.Text = cmp.Or(names[v.Raw], v.Text)
		}
	}
}

// section returns the first rows of a list with these filters; false if the page does without it, also because it is empty.
func (c *call) section(title, path string, rows int, filters ...string) (s page.Section, ok bool) {
	isOwed, size := slices.Contains(filters, "due") || slices.Contains(filters, "overdue"), rows
	if isOwed {
		size = maxShown // without drafts, fewer are left
	}
	other, a := c.beside(path, 0, htmlFormat, append(filters, "per_page", strconv.Itoa(size))...)
	if a == nil || a.rows.Len() == 0 {
		return s, false
	}
	o := other.route.describe()
	values := other.valuesOf(o, a)
	s.Title, s.Table = title, values.TableOf(title, a.rows)
	isNamed := other.linkLabels(&s.Table, a, values)
	c.name(&page.Value{Table: &s.Table})
	if isOwed {
		s.Sums = other.sumsOf(o, a)
		s.Sums.Fields = slices.DeleteFunc(s.Sums.Fields, func(f page.Field) bool { return f.Name != "due_price" })
		var owed [][]page.Value
		for row, cells := range s.Table.Rows {
			if !isDraft(func(path string) string { return values.Cell(a.rows, row, path) }) {
				owed = append(owed, cells)
			}
		}
		s.Table.Rows = owed[:min(rows, len(owed))]
	}
	own := c.api.basePath() + c.http.URL.EscapedPath()
	s.Table.Drop(func(column page.Column, v page.Value) bool {
		return v.URL == own || v.Text == "" || isNamed && column.Name == "id"
	})
	query := url.Values{}
	for pair := range slices.Chunk(filters, 2) {
		query.Set(pair[0], pair[1])
	}
	s.All = page.Link{Text: "Open the list", URL: c.api.basePath() + path + "?" + query.Encode()}
	if a.rows.Total > int64(len(s.Table.Rows)) {
		s.All.Text = "All " + strconv.FormatInt(a.rows.Total, 10)
	}
	return s, true
}

// summed are the attributes whose sums lists show.
var summed = map[string][]string{"/rest/invoice": {"total_price", "pay_price", "due_price"}, "/rest/payment": {"amount", "left"}}

// maxSummed is how many rows a list may have for its sums to be shown.
const maxSummed = 10_000

// sumsOf returns the sums of all rows of a list, of which the response is a page.
func (c *call) sumsOf(o apidoc.Operation, a *response) (s page.Sums) {
	names := summed[c.route.path]
	if names == nil || a.rows.Total < 2 && !c.isBeside {
		return s
	}
	totals := map[string][]*big.Rat{} // by currency
	add := func(v page.Values, rows *readmodel.Rows) {
		for row := range rows.Len() {
			if c.isBeside && isDraft(func(path string) string { return v.Cell(rows, row, path) }) {
				continue
			}
			sums := totals[v.CurrencyOf(rows, row)]
			if sums == nil {
				sums = make([]*big.Rat, len(names))
				totals[v.CurrencyOf(rows, row)] = sums
			}
			for i, name := range names {
				amount, _ := new(big.Rat).SetString(v.Cell(rows, row, name))
				if sums[i] == nil {
					sums[i] = amount
				} else {
					sums[i].Add(sums[i], amount)
				}
			}
		}
	}
	isSelected := !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(a.selection.Paths, name) })
	switch {
	case a.rows.Total == int64(a.rows.Len()) && isSelected && lastOf(c.query.Values, "fields") == "":
		add(c.valuesOf(o, a), a.rows)
	case a.rows.Total > maxSummed:
		return page.Sums{Why: "The sums are shown for up to 10,000 rows: filter the list."}
	default:
		if !c.addAll(o, names, add) {
			return page.Sums{Why: "The sums are not shown now: the service is busy."}
		}
	}
	for _, currency := range slices.Sorted(maps.Keys(totals)) {
		for i, name := range names {
			text := page.Money(totals[currency][i].FloatString(4), currency)
			s.Fields = append(s.Fields, page.Field{Name: name, Value: page.Value{Text: text}})
		}
	}
	return s
}

// addAll adds the amounts of all rows of the list. It reads invoices at once, and payments in pages, with what they settle.
func (c *call) addAll(o apidoc.Operation, names []string, add func(v page.Values, rows *readmodel.Rows)) bool {
	var parameters []string
	for name := range c.query.Values {
		if !slices.Contains(append([]string{"fields", "expand", "sort", "page", "per_page", "cursor", "_format"}, tokenParameters...), name) {
			parameters = append(parameters, name, lastOf(c.query.Values, name))
		}
	}
	fields := strings.Join(names, ",")
	if o.Table == readmodel.Payments {
		parameters = append(parameters, "fields", fields+",performer_id,items.invoice_id", "per_page", strconv.Itoa(readmodel.MaxPerPage))
		for number, total := 1, int64(1); int64(number-1)*readmodel.MaxPerPage < total; number++ {
			other, a := c.beside(c.route.path, 0, jsonFormat, append(parameters, "page", strconv.Itoa(number))...)
			if a == nil {
				return false
			}
			add(other.valuesOf(o, a), a.rows)
			total = a.rows.Total
		}
		return true
	}
	_, whole := c.beside(c.route.path, 0, csvFormat, append(parameters, allParameter, "1", "fields", fields+",currency,performer.id")...)
	if whole == nil {
		return false
	}
	defer whole.export.end()
	v := page.Values{Selection: whole.selection}
	v.Currency = c.currencies(&v)
	var err error
	for rows := whole.rows; rows != nil && err == nil; rows, err = whole.export.Next(c) {
		add(v, rows)
	}
	return err == nil
}

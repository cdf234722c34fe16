package api_test

import (
	"cmp"
	"net/http"
	"slices"
)

// modelInvoice is an invoice according to the contract.
type modelInvoice struct {
	status                                              int
	number, date, notice, performer, kind, client, deal string
	lines                                               []row
	percent                                             string // of VAT, as it was when lines or performer changed last
}

// row is a line of the invoice. A new line has no id yet.
type row struct{ id, name, units, count, price string }

// modelReferences are the records that an invoice refers to.
type modelReferences struct {
	percents map[string]string // the VAT of each performer now; one who charges none has 0
	clients  map[string]string // of each deal; "" if it has none
}

func (p modelInvoice) paid() bool   { return p.status == 2 || p.status == 3 }
func (p modelInvoice) closed() bool { return p.status == 3 }
func (p modelInvoice) frozen() bool { return p.status == 3 || p.status == 4 }

// sameBut reports whether both are equal except for what may change in a frozen
// invoice.
func (p modelInvoice) sameBut(q modelInvoice) bool {
	q.status, q.notice, q.percent = p.status, p.notice, p.percent
	return p.same(q)
}

func (p modelInvoice) same(q modelInvoice) bool {
	return p.status == q.status && p.number == q.number && p.date == q.date && p.notice == q.notice && p.performer == q.performer &&
		p.kind == q.kind && p.client == q.client && p.deal == q.deal && p.percent == q.percent && slices.Equal(p.lines, q.lines)
}

// updated returns the invoice after the update, and the status of the response. Errors
// of the body come first, then those of the state, then those of references.
func (p modelInvoice) updated(body fields, references modelReferences) (modelInvoice, int) {
	next := p
	valid := true
	for name, attribute := range map[string]*string{"number": &next.number, "date": &next.date, "performer_id": &next.performer, "type_id": &next.kind, "deal_id": &next.deal} {
		if sent, ok := body[name]; ok {
			*attribute, _ = sent.(string)
			valid = valid && *attribute != "" // required
		}
	}
	if notice, ok := body["notice"].(string); ok {
		next.notice = notice
	}
	if items, ok := body["items"].([]fields); ok {
		var fine bool
		next.lines, fine = p.replaced(items)
		valid = valid && fine
	}
	status, fine := p.requestedStatus(body)
	if !valid || !fine {
		return p, http.StatusUnprocessableEntity
	}
	next.status = status
	owner, isDeal := references.clients[next.deal]
	next.client, _ = body["client_id"].(string)
	if _, moves := body["deal_id"]; moves {
		next.client = cmp.Or(next.client, owner)
	}
	next.client = cmp.Or(next.client, p.client)
	percent, isPerformer := references.percents[next.performer]
	if next.performer != p.performer || !slices.Equal(next.lines, p.lines) {
		next.percent = percent
	}
	switch {
	case status != p.status && !slices.Contains(transitions[p.status], status), p.frozen() && !p.sameBut(next):
		return p, http.StatusConflict
	case !isDeal || !isPerformer || next.kind == missingID || owner != "" && owner != next.client:
		return p, http.StatusUnprocessableEntity
	}
	return next, http.StatusOK
}

// missingID is an id that no record has.
const missingID = "99999999"

// transitions are the states that may follow each state.
var transitions = map[int][]int{1: {2, 3, 4}, 2: {1, 3}, 3: {2}, 4: {1}}

// closedUnpaid stands for the request to close an invoice that is not paid. No invoice
// has this state.
const closedUnpaid = 0

// requestedStatus is the state that the body requests: a value equal to the stored one
// requests nothing, and requests must not contradict each other.
func (p modelInvoice) requestedStatus(body fields) (status int, fine bool) {
	paid, hasPaid := body["paid"].(bool)
	closed, hasClosed := body["closed"].(bool)
	named, isNamed := body["status_id"].(int)
	if closed && hasPaid && !paid {
		return 0, false
	}
	changesPaid, changesClosed := hasPaid && paid != p.paid(), hasClosed && closed != p.closed()
	if isNamed && named != p.status {
		asked := modelInvoice{status: named}
		return named, (!changesPaid || paid == asked.paid()) && (!changesClosed || closed == asked.closed())
	}
	if !changesPaid {
		paid = p.paid()
	}
	if !changesClosed {
		closed = p.closed()
	}
	switch {
	case !changesPaid && !changesClosed:
		return p.status, true
	case paid && closed:
		return 3, true
	case paid:
		return 2, true
	case changesClosed && closed:
		return closedUnpaid, true
	}
	return 1, true
}

// replaced returns the set of lines that an update requests.
func (p modelInvoice) replaced(items []fields) (rows []row, fine bool) {
	fine = true
	var added []row
	for _, item := range items {
		id, isStored := item["id"].(string)
		if !isStored {
			r, ok := row{count: "1", price: "0"}.edited(item)
			added, fine = append(added, r), fine && ok
			continue
		}
		at := slices.IndexFunc(p.lines, func(r row) bool { return r.id == id })
		if at < 0 || slices.ContainsFunc(rows, func(r row) bool { return r.id == id }) {
			fine = false
			continue
		}
		r, ok := p.lines[at].edited(item)
		rows, fine = append(rows, r), fine && ok
	}
	// The remaining lines keep their order.
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(len(a.id), len(b.id)), cmp.Compare(a.id, b.id)) })
	return append(rows, added...), fine
}

func (r row) edited(item fields) (row, bool) {
	for name, attribute := range map[string]*string{"name": &r.name, "units": &r.units, "count": &r.count, "price": &r.price} {
		if sent, ok := item[name].(string); ok {
			*attribute = sent
		}
	}
	return r, r.name != "" && r.count != "0"
}

// withLines returns the invoice with the lines, and the status of the response to the
// write of a line that requests them.
func (p modelInvoice) withLines(lines []row, references modelReferences) (modelInvoice, int) {
	next := p
	next.lines = lines
	if slices.Equal(lines, p.lines) {
		return p, http.StatusOK
	}
	if p.frozen() {
		return p, http.StatusConflict
	}
	next.percent = references.percents[p.performer]
	return next, http.StatusOK
}

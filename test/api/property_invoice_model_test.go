package api_test

import (
	"cmp"
	"net/http"
	"slices"
)

// paper is an invoice as the contract says it has to be.
type paper struct {
	status                                              int
	number, date, notice, performer, kind, client, deal string
	lines                                               []row
	percent                                             string // of VAT, as it was when lines or performer changed last
}

// row is a line of it. One that is sent without an id has none yet.
type row struct{ id, name, units, count, price string }

// surroundings are the records around an invoice.
type surroundings struct {
	percents map[string]string // the VAT of each performer now; one who charges none has 0
	clients  map[string]string // of each deal; "" if it has none
}

func (p paper) paid() bool   { return p.status == 2 || p.status == 3 }
func (p paper) closed() bool { return p.status == 3 }
func (p paper) frozen() bool { return p.status == 3 || p.status == 4 }

// sameBut tells whether both are the same but for what a frozen invoice may change.
func (p paper) sameBut(q paper) bool {
	q.status, q.notice, q.percent = p.status, p.notice, p.percent
	return p.same(q)
}

func (p paper) same(q paper) bool {
	return p.status == q.status && p.number == q.number && p.date == q.date && p.notice == q.notice && p.performer == q.performer &&
		p.kind == q.kind && p.client == q.client && p.deal == q.deal && p.percent == q.percent && slices.Equal(p.lines, q.lines)
}

// updated is what the invoice is after the update, and the answer to it. What is
// wrong with the body by itself comes first, then what the state forbids, then
// references.
func (p paper) updated(body fields, around surroundings) (paper, int) {
	next := p
	valid := true
	for name, attribute := range map[string]*string{"number": &next.number, "date": &next.date, "performer_id": &next.performer, "type_id": &next.kind, "deal_id": &next.deal} {
		if sent, ok := body[name]; ok {
			*attribute, _ = sent.(string)
			valid = valid && *attribute != "" // each of them is required
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
	status, fine := p.wished(body)
	if !valid || !fine {
		return p, http.StatusUnprocessableEntity
	}
	next.status = status
	owner, isDeal := around.clients[next.deal]
	next.client, _ = body["client_id"].(string)
	if _, moves := body["deal_id"]; moves {
		next.client = cmp.Or(next.client, owner)
	}
	next.client = cmp.Or(next.client, p.client)
	percent, isPerformer := around.percents[next.performer]
	if next.performer != p.performer || !slices.Equal(next.lines, p.lines) {
		next.percent = percent
	}
	switch {
	case status != p.status && !slices.Contains(follow[p.status], status), p.frozen() && !p.sameBut(next):
		return p, http.StatusConflict
	case !isDeal || !isPerformer || next.kind == nobody || owner != "" && owner != next.client:
		return p, http.StatusUnprocessableEntity
	}
	return next, http.StatusOK
}

// nobody is an id that no record has.
const nobody = "99999999"

// follow says which states an invoice may take from each.
var follow = map[int][]int{1: {2, 3, 4}, 2: {1, 3}, 3: {2}, 4: {1}}

// closedUnpaid is asked for by who closes an invoice that is not paid. No
// invoice is that.
const closedUnpaid = 0

// wished is the state that the body asks for: a value that is the stored one
// asks for nothing, and wishes may not contradict one another.
func (p paper) wished(body fields) (status int, fine bool) {
	paid, hasPaid := body["paid"].(bool)
	closed, hasClosed := body["closed"].(bool)
	named, isNamed := body["status_id"].(int)
	if closed && hasPaid && !paid {
		return 0, false
	}
	wishesPaid, wishesClosed := hasPaid && paid != p.paid(), hasClosed && closed != p.closed()
	if isNamed && named != p.status {
		asked := paper{status: named}
		return named, (!wishesPaid || paid == asked.paid()) && (!wishesClosed || closed == asked.closed())
	}
	if !wishesPaid {
		paid = p.paid()
	}
	if !wishesClosed {
		closed = p.closed()
	}
	switch {
	case !wishesPaid && !wishesClosed:
		return p.status, true
	case paid && closed:
		return 3, true
	case paid:
		return 2, true
	case wishesClosed && closed:
		return closedUnpaid, true
	}
	return 1, true
}

// replaced is the set of lines that an update asks for.
func (p paper) replaced(items []fields) (rows []row, fine bool) {
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
	// The lines that stay keep their order.
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

// withLines is what the invoice is with these lines, and the answer to the
// write of a line that asks for it.
func (p paper) withLines(lines []row, around surroundings) (paper, int) {
	next := p
	next.lines = lines
	if slices.Equal(lines, p.lines) {
		return p, http.StatusOK
	}
	if p.frozen() {
		return p, http.StatusConflict
	}
	next.percent = around.percents[p.performer]
	return next, http.StatusOK
}

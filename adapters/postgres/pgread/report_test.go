package pgread_test

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// owedFact is what is known of an invoice. Amounts are in units of 0.0001, and days are counted from the first one.
type owedFact struct {
	id, client, performer int
	currency              string
	date, due             int // due: -1 for none
	created, issued       int // issued: -1 for never
	status                int
	isDraft               bool
	rates                 []rateFact
	owed, waived          int64
}

type rateFact struct {
	category, percent string
	total, vat        int64
}

func (f owedFact) net() (sum int64) {
	for _, r := range f.rates {
		sum += r.total
	}
	return sum
}

func (f owedFact) vat() (sum int64) {
	for _, r := range f.rates {
		sum += r.vat
	}
	return sum
}

// isOwed reports whether it is a document that someone owes.
func (f owedFact) isOwed() bool { return !f.isDraft && (f.status != 4 || f.issued >= 0) }

// paidFact is a version of an item of a payment. isSetOff: of a payment of 0.
type paidFact struct {
	of                       int // the index of the invoice
	date, recorded, reversed int // reversed: -1 for never
	amount, waived           int64
	isSetOff                 bool
}

const factDays = 400

var firstDay = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)

func dayOf(n int) string { return firstDay.AddDate(0, 0, n).Format(time.DateOnly) }

// facts are the history of a company.
type facts struct {
	owed []owedFact
	paid []paidFact
}

func drawFacts(r *rand.Rand) (f facts) {
	for i := range 25 {
		o := owedFact{
			id: 1000 + i, client: r.IntN(2), performer: r.IntN(2), currency: []string{"", "EUR", "USD"}[r.IntN(3)], date: r.IntN(factDays), due: -1,
			issued: -1, status: 1,
		}
		if r.IntN(3) > 0 {
			o.due = o.date + r.IntN(120) - 10
		}
		o.created = max(0, o.date+r.IntN(20)-10)
		switch r.IntN(4) {
		case 0, 1:
			o.issued = o.created + r.IntN(10)
		case 2:
			o.isDraft = r.IntN(2) == 0
		}
		sign := int64(1)
		if r.IntN(4) == 0 {
			sign = -1
		}
		for n := range 1 + r.IntN(3) {
			total := sign * r.Int64N(9_000_000)
			o.rates = append(o.rates, rateFact{[]string{"standard", "standard", "zero"}[n], []string{"19.00", "7.00", "0.00"}[n],
				total, roundTo(big.NewRat(total*[]int64{19, 7, 0}[n], 100), 1)})
		}
		o.owed = roundTo(big.NewRat(o.net()+o.vat(), 1), 100)
		if r.IntN(8) == 0 {
			o.status = 4
		}
		f.owed = append(f.owed, o)
		f.pay(r, i)
	}
	return f
}

// pay draws items for the invoice, of which those that are not reversed do not exceed it.
func (f *facts) pay(r *rand.Rand, i int) {
	o := &f.owed[i]
	if o.status == 4 && o.issued < 0 {
		return
	}
	settled := int64(0)
	for range r.IntN(6) {
		p := paidFact{of: i, date: r.IntN(factDays), recorded: r.IntN(factDays), reversed: -1, isSetOff: r.IntN(5) == 0}
		share := []int64{100, 50, 33, 10, -20}[r.IntN(5)]
		p.amount = roundTo(big.NewRat((o.owed-settled)*share, 100), 100)
		if r.IntN(4) == 0 {
			p.waived = roundTo(big.NewRat(p.amount, 10), 100)
			p.amount -= p.waived
		}
		after, waived := settled+p.amount+p.waived, o.waived+p.waived
		isWithin := func(n int64) bool { return n == 0 || (n < 0) == (o.owed < 0) && max(n, -n) <= max(o.owed, -o.owed) }
		if r.IntN(3) == 0 || !isWithin(after) || !isWithin(waived) {
			p.reversed = p.recorded + r.IntN(200)
		} else {
			settled, o.waived = after, waived
		}
		f.paid = append(f.paid, p)
	}
	if settled == o.owed && o.status == 1 {
		o.status = 2
	}
}

// roundTo rounds to a multiple of unit, halves away from zero.
func roundTo(r *big.Rat, unit int64) int64 {
	text := new(big.Rat).Quo(r, big.NewRat(unit, 1)).FloatString(0) // rounds so
	n, _ := strconv.ParseInt(text, 10, 64)
	return n * unit
}

func units(n int64) string { return big.NewRat(n, 10_000).FloatString(4) }

func sqlDay(n int) string {
	if n < 0 {
		return "null"
	}
	return "'" + dayOf(n) + "'"
}

func sqlText(s string) string {
	if s == "" {
		return "null"
	}
	return "'" + s + "'"
}

// store replaces the company's facts.
func (f facts) store(c company) {
	statements := []string{"delete from allocations", "delete from payments", "delete from invoices"}
	clients, deals := []any{c.Office.Client, c.Office.OtherClient}, []any{c.Office.Deal, c.Office.OtherDeal}
	performers := []any{c.Office.Performer, c.Office.OtherPerformer}
	settled := make([]int64, len(f.owed))
	for _, p := range f.paid {
		if p.reversed < 0 {
			settled[p.of] += p.amount
		}
	}
	for i, o := range f.owed {
		var rates []string
		for _, r := range o.rates {
			rates = append(rates, fmt.Sprintf(`{"vat_category":%q,"vat_percent":%q,"total_price":%q,"vat_price":%q}`, r.category, r.percent,
				units(r.total), units(r.vat)))
		}
		number, paidOn := "R-"+strconv.Itoa(o.id), "null, null"
		if o.isDraft {
			number = "draft-" + strconv.Itoa(o.id)
		}
		if o.status == 2 {
			paidOn = "'2024-01-01', 2024 * 12"
		}
		statements = append(statements, fmt.Sprintf(`insert into invoices (id, user_id, number, number_key, date, due_date, performer_id,
    client_id, deal_id, type_id, status, vat_use, vat_percent, currency, vat, total_count, total_price, vat_price, pay_price, owed_price,
    paid_price, waived_price, created_on, updated_on, issued_on, paid_on, paid_month)
values (%d, %d, '%s', '%s', '%s 15:00', %s, %d, %d, %d, %d, %d, true, 19, %s, '[%s]', 1, %s, %s, %s, %s, %s, %s, '%s', now(), %s, %s)`,
			o.id, c.Office.Manager, number, number, dayOf(o.date), sqlDay(o.due), performers[o.performer], clients[o.client], deals[o.client],
			c.Office.InvoiceType, o.status, sqlText(o.currency), strings.Join(rates, ","), units(o.net()), units(o.vat()),
			units(o.net()+o.vat()), units(o.owed), units(settled[i]), units(o.waived), dayOf(o.created), sqlDay(o.issued), paidOn))
	}
	for i, p := range f.paid {
		amount, payment := p.amount, strconv.Itoa(i+1)
		if p.isSetOff {
			amount = 0
		}
		statements = append(statements, fmt.Sprintf(`insert into payments (id, performer_id, date, amount, rest, created_on, updated_on)
values (%d, %d, '%s', %s, 0, now(), now())`, i+1, performers[f.owed[p.of].performer], dayOf(p.date), units(amount)))
		if p.reversed >= 0 && i%2 == 0 {
			payment = "null" // it was deleted
		}
		reason := "null"
		if p.waived != 0 {
			reason = "'discount'"
		}
		statements = append(statements, fmt.Sprintf(`insert into allocations (payment_id, invoice_id, date, amount, waived, reason, recorded_at,
    reversed_at)
values (%s, %d, '%s', %s, %s, %s, '%s', %s)`, payment, f.owed[p.of].id, dayOf(p.date), units(p.amount), units(p.waived), reason,
			dayOf(p.recorded), sqlDay(p.reversed)))
	}
	c.Execute(statements...)
}

// due replays the facts of the invoice that are dated until the day, and known until the instant.
func (f facts) due(i, day, known int) int64 {
	due := f.owed[i].owed
	for _, p := range f.paid {
		if p.of == i && p.date <= day && p.recorded <= known && (p.reversed < 0 || p.reversed > known) {
			due -= p.amount + p.waived
		}
	}
	return due
}

// table is a report: the values of each row by its key and currency.
type table map[string][]int64

func (t table) add(key, currency string, values ...int64) {
	key += "|" + currency
	if t[key] == nil {
		t[key] = make([]int64, len(values))
	}
	for i, v := range values {
		t[key][i] += v
	}
}

// performerCurrency is that of the party of the first performer; the other one has none.
const performerCurrency = "EUR"

func (f owedFact) inCurrency() string {
	if f.performer == 0 {
		return cmp.Or(f.currency, performerCurrency)
	}
	return f.currency
}

func (f owedFact) key(c company, by string) string {
	switch by {
	case "client":
		return fmt.Sprint([]any{c.Office.Client, c.Office.OtherClient}[f.client])
	case "performer":
		return fmt.Sprint([]any{c.Office.Performer, c.Office.OtherPerformer}[f.performer])
	case "type":
		return fmt.Sprint(c.Office.InvoiceType)
	}
	return strconv.Itoa(f.id)
}

func (f facts) receivables(c company, by string, day, known int) table {
	t := table{}
	for i, o := range f.owed {
		since := o.created
		if o.issued >= 0 {
			since = o.issued
		}
		due := f.due(i, day, known)
		if !o.isOwed() || o.date > day || since > known || due == 0 {
			continue
		}
		dueOn := o.due
		if dueOn < 0 {
			dueOn = o.date
		}
		values := make([]int64, 7)
		values[6] = due
		switch age := day - dueOn; {
		case due < 0:
			values[5] = due
		case age <= 0:
			values[0] = due
		case age > 90:
			values[4] = due
		default:
			values[(age-1)/30+1] = due
		}
		t.add(o.key(c, by), o.inCurrency(), values...)
	}
	return t
}

// share is the part of what was paid that is for a part of the invoice.
func (f owedFact) share(paid, part int64) int64 {
	if f.net()+f.vat() == 0 {
		return 0
	}
	return roundTo(new(big.Rat).Mul(big.NewRat(paid, f.net()+f.vat()), big.NewRat(part, 1)), 100)
}

// received is what was paid and waived of the invoice before the day, and whether there was money from the other day on.
func (f facts) received(i, since, before int) (paid, waived int64, hasMoney bool) {
	for _, p := range f.paid {
		if p.of == i && p.reversed < 0 && p.date < before {
			paid, waived = paid+p.amount, waived+p.waived
			hasMoney = hasMoney || p.date >= since && p.amount != 0 && !p.isSetOff
		}
	}
	return paid, waived, hasMoney
}

func (f facts) revenue(c company, by, basis string, from, to int) table {
	t := table{}
	for i, o := range f.owed {
		if basis == readmodel.Issued {
			key := o.key(c, by)
			if by == "month" {
				key = dayOf(o.date)[:7]
			}
			if o.isOwed() && o.date >= from && o.date <= to {
				t.add(key, o.inCurrency(), 10_000, o.net(), o.vat(), o.net()+o.vat(), o.waived)
			}
			continue
		}
		for start := from; start <= to; {
			end := to + 1
			key := o.key(c, by)
			if by == "month" {
				key = dayOf(start)[:7]
				for end = start; end <= to && dayOf(end)[:7] == key; {
					end++
				}
			}
			before, waivedBefore, _ := f.received(i, 0, start)
			later, waived, hasMoney := f.received(i, start, end)
			vat, count := o.share(later, o.vat())-o.share(before, o.vat()), int64(0)
			if hasMoney {
				count = 10_000
			}
			if f.has(i, start, end) {
				t.add(key, o.inCurrency(), count, later-before-vat, vat, later-before, waived-waivedBefore)
			}
			start = end
		}
	}
	return t
}

func (f facts) has(i, start, end int) bool {
	return slices.ContainsFunc(f.paid, func(p paidFact) bool { return p.of == i && p.reversed < 0 && p.date >= start && p.date < end })
}

func (f facts) vat(basis string, from, to int) table {
	t := table{}
	for i, o := range f.owed {
		if basis == readmodel.Issued && o.isOwed() && o.date >= from && o.date <= to {
			for _, r := range o.rates {
				t.add(r.category+" "+r.percent, o.inCurrency(), r.total, r.vat)
			}
		}
		if basis == readmodel.Issued || !f.has(i, from, to+1) {
			continue
		}
		for sign, end := range map[int64]int{-1: from, 1: to + 1} {
			paid, _, _ := f.received(i, 0, end)
			restVAT := o.share(paid, o.vat())
			rest := paid - restVAT
			for _, r := range slices.Backward(o.rates) {
				taxable, vat := o.share(paid, r.total), o.share(paid, r.vat)
				if r == o.rates[0] {
					taxable, vat = rest, restVAT
				}
				rest, restVAT = rest-taxable, restVAT-vat
				t.add(r.category+" "+r.percent, o.inCurrency(), sign*taxable, sign*vat)
			}
		}
	}
	return t
}

// read returns a report as a table, after it has checked that the columns add up to the totals.
func (c company) read(of func(pgread.Querier) readmodel.Report, resource *readmodel.Resource, q readmodel.ReportQuery) table {
	c.T.Helper()
	selection, err := query.Select(resource, query.Parameters{Record: true})
	if err != nil {
		c.T.Fatal(err)
	}
	q.Select = selection
	rows, err := of(c.Pool).Read(c.T.Context(), q)
	if err != nil {
		c.T.Fatal(err)
	}
	lists := map[string]table{}
	for _, name := range []string{"items", "totals"} {
		n := selection.Nodes[slices.IndexFunc(selection.Nodes, func(n readmodel.Node) bool { return n.Name == name })]
		list, t := rows.List(0, n.Column), table{}
		for row := range list.Len() {
			var texts []string
			for column := range n.Inner.Paths {
				cell, _ := list.Cell(row, column)
				texts = append(texts, string(cell))
			}
			key := ""
			if name == "items" {
				if key = texts[0]; key == "" || resource == readmodel.VAT {
					key = strings.TrimSpace(texts[0] + " " + texts[1])
				}
				texts = texts[2:] // behind the keys
			}
			var values []int64
			for _, text := range texts[1:] {
				r, _ := new(big.Rat).SetString(text)
				values = append(values, roundTo(r.Mul(r, big.NewRat(10_000, 1)), 1))
			}
			t.add(key, texts[0], values...)
		}
		lists[name] = t
	}
	sums := table{}
	for key, values := range lists["items"] {
		_, currency, _ := strings.Cut(key, "|")
		sums.add("", currency, values...)
	}
	if diff := gocmp.Diff(sums, lists["totals"]); diff != "" {
		c.T.Errorf("%s %+v does not add up (-rows +totals):\n%s", resource.Name, q, diff)
	}
	return lists["items"]
}

// contract 18.41, 18.42, 18.43, 18.44, 18.45, 18.46
func TestReportsAreTheReplayOfAllFacts(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Execute(fmt.Sprintf(`insert into parties (performer_id, currency, digits, numbering, chronological)
values (%d, '%s', 4, 'manual', false)`, c.Office.Performer, performerCurrency))
	seed := uint64(time.Now().UnixNano())
	t.Logf("the seed is %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	same := func(what string, q readmodel.ReportQuery, want, got table) {
		t.Helper()
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s %+v (-want +got):\n%s", what, q, diff)
		}
	}
	for range 12 {
		f := drawFacts(r)
		f.store(c)
		for _, by := range []string{"client", "performer", "invoice"} {
			for range 3 {
				day, known := r.IntN(factDays), r.IntN(factDays)
				q := readmodel.ReportQuery{At: readmodel.Date(dayOf(day)), By: by}
				same("receivables", q, f.receivables(c, by, day, 10*factDays), c.read(pgread.NewReceivables, readmodel.Receivables, q))
				q.KnownAt = readmodel.Instant(dayOf(known))
				same("receivables", q, f.receivables(c, by, day, known), c.read(pgread.NewReceivables, readmodel.Receivables, q))
			}
		}
		for _, basis := range []string{readmodel.Issued, readmodel.Received} {
			from := r.IntN(factDays)
			to := from + r.IntN(factDays-from)
			q := readmodel.ReportQuery{From: readmodel.Date(dayOf(from)), To: readmodel.Date(dayOf(to)), Basis: basis}
			rates := c.read(pgread.NewVAT, readmodel.VAT, q)
			same("vat", q, f.vat(basis, from, to), rates)
			for _, by := range []string{"month", "client", "performer", "type"} {
				q.By = by
				revenue := c.read(pgread.NewRevenue, readmodel.Revenue, q)
				same("revenue", q, f.revenue(c, by, basis, from, to), revenue)
				same("the sum of vat", q, sumOf(revenue, 1, 2), sumOf(rates, 0, 1))
			}
		}
		if t.Failed() {
			return
		}
	}
}

// sumOf adds up two columns by currency.
func sumOf(t table, columns ...int) table {
	sum := table{}
	for key, values := range t {
		_, currency, _ := strings.Cut(key, "|")
		sum.add("", currency, values[columns[0]], values[columns[1]])
	}
	return sum
}

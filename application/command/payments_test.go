package command_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

func init() {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
}

// payHistory is a random history of some invoices and payments. facts are what each payment settles of each invoice, as it was sent.
type payHistory struct {
	*office
	*rapid.T
	invoices []invoice.ID
	payments []payment.ID
	facts    map[payment.ID]map[invoice.ID]string
	states   map[invoice.ID]invoice.Status
}

// More of them: go test ./application/command -run Histories -rapid.checks=5000 -timeout=1h
//
// contract 18.1, 18.2, 18.3, 18.6, 18.7, 18.13, 18.10
func TestHistoriesOfPayments(t *testing.T) {
	t.Parallel()
	o := open(t)
	rapid.Check(t, func(t *rapid.T) {
		h := payHistory{office: o, T: t, facts: map[payment.ID]map[invoice.ID]string{}, states: map[invoice.ID]invoice.Status{}}
		for range rapid.IntRange(1, 3).Draw(t, "invoices") {
			h.invoice()
		}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			before := h.snapshot()
			o.clock.at = o.clock.at.Add(time.Second)
			what, err := h.step()
			h.Log(what, err)
			after := h.snapshot()
			if err != nil && (fault.As(err) == nil || after != before) {
				h.Fatalf("%s: %v\nbefore %s\nafter  %s", what, err, before, after)
			}
			h.check(what)
		}
	})
}

func (h *payHistory) one(what string, of ...string) string {
	return rapid.SampledFrom(of).Draw(h.T, what)
}

func (h *payHistory) amount(what string) money.Amount {
	return fixture.Amount(h.one(what, "0", "0.01", "10", "33.34", "60", "100", "-0.01", "-10", "-30"))
}

func (h *payHistory) invoice() {
	a := fixture.Invoice(h.Office)
	a.Status = domain.Some(invoice.NotPaid)
	a.Lines = domain.Some([]invoice.LineAttributes{{
		Name: domain.Some("goods"), Count: domain.Some(fixture.Quantity(h.one("count", "1", "3", "7"))),
		Price: domain.Some(fixture.Amount(h.one("price", "100", "33.335", "14.2857", "0.001", "-10"))),
	}})
	id, err := h.office.invoices.Create(h.t.Context(), h.manager(), a)
	if err != nil {
		h.Fatal(err)
	}
	h.invoices, h.states[id] = append(h.invoices, id), invoice.NotPaid
}

func (h *payHistory) step() (what string, err error) {
	ctx, id := h.t.Context(), rapid.SampledFrom(h.invoices).Draw(h.T, "invoice")
	paymentID := payment.ID(0)
	if len(h.payments) > 0 {
		paymentID = rapid.SampledFrom(h.payments).Draw(h.T, "payment")
	}
	switch what = h.one("what", "pay", "pay", "change", "delete", "state", "state", "line", "credit"); what {
	case "pay":
		a := payment.Attributes{
			PerformerID: domain.Some(h.Performer), Date: domain.Some(fixture.At), Amount: domain.Some(h.amount("amount")),
		}
		if h.one("items", "one", "several") == "one" {
			a.InvoiceID = domain.Some(id)
		} else {
			a.Items = domain.Some(h.items())
		}
		added, err := h.office.payments.Create(ctx, h.manager(), a)
		if err == nil {
			h.payments = append(h.payments, added)
			h.enter(added)
		}
		return what, err
	case "change":
		a := payment.Attributes{Items: domain.Some(h.items())}
		if h.one("amount too", "yes", "no") == "yes" {
			a.Amount = domain.Some(h.amount("amount"))
		}
		if err = h.office.payments.Update(ctx, h.manager(), paymentID, a); err == nil {
			h.enter(paymentID)
		}
	case "delete":
		if err = h.office.payments.Delete(ctx, h.manager(), paymentID); err == nil {
			delete(h.facts, paymentID)
		}
	case "state":
		to := rapid.SampledFrom([]invoice.Status{invoice.NotPaid, invoice.Paid, invoice.Closed, invoice.Cancelled}).Draw(h.T, "state")
		err = h.office.invoices.Update(ctx, h.manager(), id, invoice.Attributes{Status: domain.Some(to)})
	case "line":
		line := invoice.LineAttributes{Name: domain.Some("other"), Price: domain.Some(fixture.Amount(h.one("price", "50", "120", "0", "-5")))}
		err = h.office.invoices.Update(ctx, h.manager(), id, invoice.Attributes{Lines: domain.Some([]invoice.LineAttributes{line})})
	case "credit":
		request := command.CreditRequest{Number: domain.Some(fmt.Sprint("P-", id, "-", len(h.invoices)))}
		if lines := h.lines(id); h.one("credit", "one piece", "all") == "one piece" && len(lines) > 0 {
			request.Lines = domain.Some([]invoice.CreditedLine{{ID: lines[0], Count: domain.Some(fixture.Quantity("1"))}})
		}
		var note invoice.ID
		if note, err = h.office.invoices.Credit(ctx, h.manager(), id, request); err == nil {
			h.invoices = append(h.invoices, note)
			h.states[note] = invoice.NotPaid
		}
	}
	return what, err
}

func (h *payHistory) items() (items []payment.ItemAttributes) {
	for _, id := range h.invoices {
		if h.one("has an item", "yes", "no") == "no" {
			continue
		}
		a := payment.ItemAttributes{InvoiceID: domain.Some(id), Amount: domain.Some(h.amount("item"))}
		if h.one("waives", "yes", "no", "no") == "yes" {
			a.Waived, a.Reason = domain.Some(h.amount("waived")), domain.Some(payment.Reason("discount"))
			if a.Waived.Or(money.Amount{}).IsZero() {
				a.Reason = domain.Optional[payment.Reason]{}
			}
		}
		items = append(items, a)
	}
	return items
}

func (h *payHistory) lines(id invoice.ID) []invoice.LineID {
	return queried(h.office, pgx.RowTo[invoice.LineID], "select id from invoice_lines where invoice_id = $1 order by id", id)
}

// enter keeps what the payment now settles, and checks its sum.
func (h *payHistory) enter(id payment.ID) {
	s := stored(h.office, id, func(s repository.Stores) locker[payment.ID, *payment.Payment] { return s.Payments })
	h.facts[id] = map[invoice.ID]string{}
	left := s.Amount
	for _, i := range s.Items {
		left = left.Minus(i.Amount)
		h.facts[id][i.InvoiceID] = i.Amount.Fixed(2) + " " + i.Waived.Fixed(2)
	}
	if !left.Equal(s.Left) || !s.Left.IsZero() && s.Left.IsNegative() != s.Amount.IsNegative() || s.Left.Exceeds(s.Amount) && !s.Left.IsZero() {
		h.Errorf("of the payment %d of %s, %s is left: %v", id, s.Amount, s.Left, s.Items)
	}
}

// settledWrong selects the invoices and payments that are not what the items say.
const settledWrong = `
select format('invoice %s: %s owed, %s paid, %s waived, %s automatic, %s set off, state %s; items: %s',
    i.id, owed_price, paid_price, waived_price, automatic_price, set_off_price, status, a)
from invoices i
cross join lateral (
    select coalesce(sum(a.amount), 0) as paid, coalesce(sum(a.waived), 0) as waived,
        coalesce(sum(a.amount) filter (where p.amount = 0), 0) as set_off,
        coalesce(sum(a.amount) filter (where p.automatic_of = i.id), 0) as automatic
    from allocations a
    join payments p on p.id = a.payment_id
    where a.invoice_id = i.id and a.reversed_at is null
) a
where (paid_price, waived_price, set_off_price, automatic_price) <> (a.paid, a.waived, a.set_off, a.automatic)
    or credits is null and owed_price <> round(pay_price, 2)
    or paid_price + waived_price not between least(owed_price, 0) and greatest(owed_price, 0)
    or owed_price <> 0 and status <> 4 and (status in (2, 3)) <> (paid_price + waived_price = owed_price)
    or status = 4 and paid_price + waived_price not in (0, owed_price)
union all
select format('payment %s of %s, %s left', p.id, p.amount, p.rest)
from payments p
where amount <> rest + (select coalesce(sum(a.amount), 0) from allocations a where a.payment_id = p.id and a.reversed_at is null)`

// check compares all that is stored with the items, and these with the facts.
func (h *payHistory) check(what string) {
	if wrong := queried(h.office, pgx.RowTo[string], settledWrong); len(wrong) > 0 {
		h.Fatalf("%s: %s", what, strings.Join(wrong, "\n"))
	}
	want := map[string]bool{}
	for id, items := range h.facts {
		for inv, amounts := range items {
			want[fmt.Sprint(id, " ", inv, " ", amounts)] = true
		}
	}
	const ofPayments = `select format('%s %s %s %s', payment_id, invoice_id, round(amount, 2), round(waived, 2))
from allocations where payment_id = any($1) and reversed_at is null`
	got := queried(h.office, pgx.RowTo[string], ofPayments, h.payments)
	if len(got) != len(want) || slices.ContainsFunc(got, func(s string) bool { return !want[s] }) {
		h.Fatalf("%s: the items are %v, want %v", what, got, want)
	}
	arrows := map[invoice.Status][]invoice.Status{
		invoice.NotPaid: {invoice.Paid, invoice.Closed, invoice.Cancelled}, invoice.Paid: {invoice.NotPaid, invoice.Closed},
		invoice.Closed: {invoice.Paid}, invoice.Cancelled: {invoice.NotPaid},
	}
	for _, id := range h.invoices {
		s := h.office.invoice(id)
		was := h.states[id]
		isSettled := was == invoice.Paid && s.Status == invoice.Cancelled && !s.IssuedOn.IsZero() // by way of state 1
		if s.Status != was && !slices.Contains(arrows[was], s.Status) && !isSettled {
			h.Errorf("%s: the invoice %d goes from %s to %s", what, id, was, s.Status)
		}
		h.states[id] = s.Status
	}
}

// snapshot is all that is stored of the invoices and payments.
func (h *payHistory) snapshot() string {
	const all = `select coalesce(string_agg(v, ' ' order by v), '') from (
    select i::text as v from invoices i where i.id = any($1)
    union all select p::text from payments p join allocations a on a.payment_id = p.id where a.invoice_id = any($1)
    union all select a::text from allocations a where a.invoice_id = any($1)
) s`
	return queried(h.office, pgx.RowTo[string], all, h.invoices)[0]
}

package command_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// ledger has what was invoiced to a client, credited and paid.
type ledger struct {
	*office
	*rand.Rand
	entries []*entry
}

type entry struct {
	invoice.State
	credited    *entry         // of a credit note: the entry of its invoice
	former      invoice.Former // of an invoice
	isPaid      bool
	isCalledOff bool // cancelled by a request
}

// contract 16.61, 16.62, 16.116, 16.130
func TestWhatAClientOwesIsInvoicedLessCreditedLessPaid(t *testing.T) {
	t.Parallel()
	done := map[string]int{}
	o := open(t)
	l := &ledger{office: o, Rand: rand.New(rand.NewPCG(5, 5))}
	for range 220 {
		o.clock.at = o.clock.at.Add(time.Second)
		what, err := l.step()
		if err != nil && fault.As(err) == nil {
			t.Fatalf("%s: %v", what, err)
		}
		if done[fmt.Sprint(what, " ", err == nil)]++; !l.isRight(what) {
			t.FailNow()
		}
	}
	for _, what := range []string{"invoice", "pay", "take back a payment", "credit", "cancel"} {
		if done[what+" true"] < 5 {
			t.Errorf("%q was done %d times: %v", what, done[what+" true"], done)
		}
	}
}

// goods are lines of which parts are rounded.
var goods = [][2]string{{"3", "3.335"}, {"7", "14.2857"}, {"100", "0.0005"}, {"1.5", "99.9999"}, {"0.000003", "0.5"}}

// step makes a random change, and enters what has become of it.
func (l *ledger) step() (what string, err error) {
	if len(l.entries) == 0 || l.IntN(6) == 0 {
		var lines []invoice.LineAttributes
		for range 1 + l.IntN(3) {
			of := goods[l.IntN(len(goods))]
			lines = append(lines, invoice.LineAttributes{
				Name: domain.Some("goods"), Count: domain.Some(fixture.Quantity(of[0])), Price: domain.Some(fixture.Amount(of[1])),
			})
		}
		a := fixture.Invoice(l.Office)
		a.Status, a.Lines = domain.Some(invoice.NotPaid), domain.Some(lines)
		id, err := l.invoices.Create(l.t.Context(), l.manager(), a)
		l.entries = append(l.entries, &entry{State: l.invoice(id), former: invoice.Former{}.Clone()})
		return "invoice", err
	}
	e := l.entries[l.IntN(len(l.entries))]
	to := func(s invoice.Status) error {
		return l.invoices.Update(l.t.Context(), l.manager(), e.ID, invoice.Attributes{Status: domain.Some(s)})
	}
	switch l.IntN(7) {
	case 0, 1:
		if err = to(invoice.Paid); err == nil {
			e.isPaid = true
		}
		return "pay", err
	case 2, 3:
		if err = to(invoice.NotPaid); err == nil {
			e.isPaid, e.isCalledOff = false, false
		}
		return "take back a payment", err
	case 4:
		if err = to(invoice.Cancelled); err == nil && !l.isSettled(e) {
			e.isCalledOff = true
		}
		return "cancel", err
	}
	return "credit", l.credit(e)
}

// credit credits parts of some lines of the entry, or all that is left.
func (l *ledger) credit(e *entry) error {
	request := command.CreditRequest{Number: domain.Some(fmt.Sprint("K-", len(l.entries)))}
	var parts []invoice.CreditedLine
	for _, line := range e.Lines {
		if left := line.Count.Plus(e.former.Lines[line.ID].Count); l.IntN(2) == 0 && !left.IsZero() {
			count := fixture.Quantity([]string{"0.000001", "0.3", "1", "5"}[l.IntN(4)])
			if count.Exceeds(left) {
				count = left
			}
			parts = append(parts, invoice.CreditedLine{ID: line.ID, Count: domain.Some(count)})
		}
	}
	if len(parts) > 0 && l.IntN(4) > 0 {
		request.Lines = domain.Some(parts)
	}
	id, err := l.invoices.Credit(l.t.Context(), l.manager(), e.ID, request)
	if err != nil {
		return err
	}
	note := l.invoice(id)
	before := e.former.Amounts(e.Discount, e.Terms)
	for _, line := range note.Lines {
		l.expectLess("a line", line.Total, e.lineTotal(line.Credits).Plus(e.former.Lines[line.Credits].Total))
		e.former.Add(line)
	}
	l.expectLess("the total", note.TotalPrice, e.TotalPrice.Plus(before.Total.Result))
	l.expectLess("the VAT", note.VATPrice, e.VATPrice.Plus(before.VAT.Result))
	l.expectLess("the amount due", note.PayPrice, e.PayPrice.Plus(before.Pay.Result))
	l.entries = append(l.entries, &entry{State: note, credited: e})
	return nil
}

func (e *entry) lineTotal(id invoice.LineID) (total money.Amount) {
	for _, line := range e.Lines {
		if line.ID == id {
			total = line.Total
		}
	}
	return total
}

// expectLess checks that what is credited is no more than what was left.
func (l *ledger) expectLess(what string, credited, left money.Amount) {
	l.t.Helper()
	if taken := credited.Negated(); !taken.IsZero() && taken.Exceeds(left) {
		l.t.Errorf("%s: %s is credited of %s", what, taken, left)
	}
}

// isSettled reports whether nothing is left of the invoice of the entry, and nothing paid.
func (l *ledger) isSettled(e *entry) bool {
	if e.credited != nil {
		e = e.credited
	}
	for _, other := range l.entries {
		if (other == e || other.credited == e) && (!other.AutomaticPrice.IsZero() || other.OwedPrice.IsZero() && other.isPaid) {
			return false
		}
	}
	return !slices.ContainsFunc(e.Lines, func(line invoice.Line) bool { return !line.Count.Plus(e.former.Lines[line.ID].Count).IsZero() })
}

// isRight compares the ledger with the records and with the facts of rules.
func (l *ledger) isRight(what string) bool {
	l.t.Helper()
	var owed, due, setOff money.Amount
	open := 0
	states, facts := l.read()
	for i, now := range states {
		l.entries[i].AutomaticPrice = now.AutomaticPrice
	}
	for i, e := range l.entries {
		now := states[i]
		isPaid := now.Due().IsZero() && !e.OwedPrice.IsZero() || e.OwedPrice.IsZero() && e.isPaid
		want := invoice.NotPaid
		switch {
		case e.isCalledOff || l.isSettled(e):
			want = invoice.Cancelled
		case isPaid:
			want = invoice.Paid
		case e.credited == nil:
			open++
		}
		if !e.isCalledOff {
			owed = owed.Plus(now.OwedPrice).Minus(now.AutomaticPrice)
		}
		due, setOff = due.Plus(now.Due()), setOff.Plus(now.SetOffPrice)
		if now.Status != want || !now.PaidPrice.Equal(now.SetOffPrice.Plus(now.AutomaticPrice)) {
			l.t.Errorf("%s: the invoice %d for %s is %s, want %s; %s is paid", what, e.ID, e.PayPrice, now.Status, want, now.PaidPrice)
		}
	}
	if !facts.Sum.Equal(owed) || !due.Equal(owed) || !setOff.IsZero() || facts.Count != open || (open == 0) != facts.Oldest.IsZero() {
		l.t.Errorf("%s: %s is owed for %d invoices, the facts are %+v, %s is due, %s set off", what, owed, open, facts, due, setOff)
	}
	return !l.t.Failed()
}

// read returns the states of all entries, and what rules learn of the client.
func (l *ledger) read() (states []invoice.State, facts repository.Answer) {
	fixture.Do(l.t, l.db.Tx, l.Manager, func(ctx context.Context, s repository.Stores) error {
		for _, e := range l.entries {
			inv, err := s.Invoices.LockHeader(ctx, e.ID)
			if err != nil {
				return err
			}
			states = append(states, inv.State())
		}
		answers, err := s.Facts.Answer(ctx, []repository.Question{{Kind: repository.UnpaidInvoicesOfClient, ID: int64(l.Client)}})
		if err == nil {
			facts = answers[0]
		}
		return err
	})
	return states, facts
}

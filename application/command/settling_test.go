package command_test

import (
	"context"
	"fmt"
	"math/rand/v2"
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
	id          invoice.ID
	credited    *entry // of a credit note: the entry of its invoice
	pay         money.Amount
	left        int // of the one line of an invoice
	isPaid      bool
	isCalledOff bool // cancelled by a request
}

// contract 16.62, 16.116
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

// step makes a random change, and enters what has become of it.
func (l *ledger) step() (what string, err error) {
	if len(l.entries) == 0 || l.IntN(6) == 0 {
		a := fixture.Invoice(l.Office)
		a.Status, a.Lines = domain.Some(invoice.NotPaid), domain.Some([]invoice.LineAttributes{{
			Name: domain.Some("hours"), Count: domain.Some(fixture.Quantity("3")), Price: domain.Some(fixture.Amount("3.335")),
		}})
		id, err := l.invoices.Create(l.t.Context(), l.manager(), a)
		l.entries = append(l.entries, &entry{id: id, pay: l.invoice(id).PayPrice, left: 3})
		return "invoice", err
	}
	e := l.entries[l.IntN(len(l.entries))]
	to := func(s invoice.Status) error {
		return l.invoices.Update(l.t.Context(), l.manager(), e.id, invoice.Attributes{Status: domain.Some(s)})
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

func (l *ledger) credit(e *entry) error {
	count := 1 + l.IntN(2)
	request := command.CreditRequest{Number: domain.Some(fmt.Sprint("K-", len(l.entries)))}
	if lines := l.invoice(e.id).Lines; l.IntN(3) > 0 {
		request.Lines = domain.Some([]invoice.CreditedLine{{ID: lines[0].ID, Count: domain.Some(fixture.Quantity(fmt.Sprint(count)))}})
	} else {
		count = e.left
	}
	id, err := l.invoices.Credit(l.t.Context(), l.manager(), e.id, request)
	if err == nil {
		e.left -= count
		l.entries = append(l.entries, &entry{id: id, credited: e, pay: l.invoice(id).PayPrice})
	}
	return err
}

// isSettled reports whether nothing is left of the invoice of the entry, and nothing paid.
func (l *ledger) isSettled(e *entry) bool {
	if e.credited != nil {
		e = e.credited
	}
	for _, other := range l.entries {
		if (other == e || other.credited == e) && other.isPaid {
			return false
		}
	}
	return e.left == 0
}

// isRight compares the ledger with the records and with the facts of rules.
func (l *ledger) isRight(what string) bool {
	l.t.Helper()
	var owed money.Amount
	open := 0
	states, facts := l.read()
	for i, e := range l.entries {
		want := invoice.NotPaid
		switch {
		case e.isCalledOff || l.isSettled(e):
			want = invoice.Cancelled
		case e.isPaid:
			want = invoice.Paid
		case e.credited == nil:
			open++
		}
		if !e.isCalledOff && !e.isPaid {
			owed = owed.Plus(e.pay)
		}
		if states[i] != want {
			l.t.Errorf("%s: the invoice %d for %s is %s, want %s", what, e.id, e.pay, states[i], want)
		}
	}
	if !facts.Sum.Equal(owed) || facts.Count != open || (open == 0) != facts.Oldest.IsZero() {
		l.t.Errorf("%s: %s is owed for %d invoices, and the facts are %+v", what, owed, open, facts)
	}
	return !l.t.Failed()
}

// read returns the states of all entries, and what rules learn of the client.
func (l *ledger) read() (states []invoice.Status, facts repository.Answer) {
	fixture.Do(l.t, l.db.Tx, l.Manager, func(ctx context.Context, s repository.Stores) error {
		for _, e := range l.entries {
			inv, err := s.Invoices.LockHeader(ctx, e.id)
			if err != nil {
				return err
			}
			states = append(states, inv.State().Status)
		}
		answers, err := s.Facts.Answer(ctx, []repository.Question{{Kind: repository.UnpaidInvoicesOfClient, ID: int64(l.Client)}})
		if err == nil {
			facts = answers[0]
		}
		return err
	})
	return states, facts
}

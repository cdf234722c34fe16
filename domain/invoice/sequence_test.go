package invoice_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

// writers sends random commands to an invoice and stores it after each.
type writers struct {
	*rand.Rand
	clock    time.Time
	nextLine invoice.LineID
}

// contract 10.35, 10.36, 10.82, 10.83, 10.86
func TestInvoiceStaysConsistentInAnySequenceOfCommands(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(60) {
		w := &writers{Rand: rand.New(rand.NewPCG(seed, 0)), clock: monday, nextLine: 1}
		a := required()
		a.Lines = lines(w.line(), w.line())
		inv, err := invoice.New(issuer, a, vat20, monday)
		if err != nil {
			continue // a total given by chance was wrong
		}
		inv = w.store(inv.State())
		for step := range 50 {
			w.clock = w.clock.Add(time.Minute)
			before, terms := inv.State(), w.terms()
			command, err := w.command(inv, terms)
			after := inv.State()

			checkStep(t, before, after, terms, w.clock, err)
			if t.Failed() {
				t.Fatalf("seed %d, step %d, %s: %v\nbefore %+v\nafter  %+v", seed, step, command, err, before, after)
			}
			outcomes[outcome(before, after, err)]++
			inv = w.store(after)
		}
	}
	for _, o := range []string{"changed", "unchanged", "invalid", "conflict", "not found"} {
		if outcomes[o] < 20 {
			t.Errorf("the commands came out as %q only %d times: %v", o, outcomes[o], outcomes)
		}
	}
}

// checkStep says what must hold whatever the command was.
func checkStep(t *testing.T, before, after invoice.State, terms performer.Terms, at time.Time, err error) {
	t.Helper()
	if err != nil {
		if fault.As(err) == nil || !invoice.Same(before, after) {
			t.Errorf("rejected, and changed all the same")
		}
		return
	}
	checkAmounts(t, after)
	if after.Status.Paid() == after.PaidOn.IsZero() {
		t.Errorf("%v, paid on %v", after.Status, after.PaidOn)
	}
	if before.Status.Paid() && after.Status.Paid() && !before.PaidOn.Equal(after.PaidOn) {
		t.Error("paid a second time")
	}
	moved := !sameLines(before, after) || before.PerformerID != after.PerformerID || before.Discount != after.Discount
	frozen := before.Status == invoice.Closed || before.Status == invoice.Cancelled
	if frozen && (moved || before.Number != after.Number) {
		t.Error("frozen, and changed all the same")
	}
	want := before.Terms
	if moved {
		want = terms
	}
	if after.Terms != want {
		t.Errorf("terms %v, want %v", after.Terms, want)
	}
	if changed := !invoice.Same(before, after); changed != after.UpdatedOn.Equal(at) || !changed && !after.UpdatedOn.Equal(before.UpdatedOn) {
		t.Errorf("changed: %v, updated on %v", changed, after.UpdatedOn)
	}
	if !slices.IsSortedFunc(after.Lines, byIDNewLast) {
		t.Error("the lines are out of order")
	}
}

func outcome(before, after invoice.State, err error) string {
	switch e := fault.As(err); {
	case e != nil:
		return e.Kind.String()
	case invoice.Same(before, after):
		return "unchanged"
	}
	return "changed"
}

func sameLines(a, b invoice.State) bool { return slices.EqualFunc(a.Lines, b.Lines, invoice.SameLine) }

func byIDNewLast(a, b invoice.Line) int {
	const last = invoice.LineID(1 << 62)
	return cmp.Compare(cmp.Or(a.ID, last), cmp.Or(b.ID, last))
}

// store gives new lines their ids, as a database does.
func (w *writers) store(s invoice.State) *invoice.Invoice {
	for i := range s.Lines {
		if s.Lines[i].ID == 0 {
			s.Lines[i].ID = w.nextLine
			w.nextLine++
		}
	}
	return invoice.Restore(s)
}

func (w *writers) command(inv *invoice.Invoice, terms performer.Terms) (string, error) {
	id := invoice.LineID(w.Int64N(int64(w.nextLine) + 1))
	switch w.IntN(6) {
	case 0:
		return "add", inv.AddLine(w.line(), terms, w.clock)
	case 1:
		return "change", inv.ChangeLine(id, w.edit(), terms, w.clock)
	case 2:
		return "remove", inv.RemoveLine(id, terms, w.clock)
	case 3:
		var a invoice.Attributes
		a.Status = domain.Some(invoice.Status(1 + w.IntN(4)))
		return "move", inv.Update(a, terms, w.clock)
	case 4:
		a := echo(inv.State())
		a.Paid = domain.Some(w.IntN(2) == 0)
		a.Closed = domain.Some(w.IntN(2) == 0)
		return "send back", inv.Update(a, terms, w.clock)
	}
	return "replace", inv.Update(w.replacement(inv.State()), terms, w.clock)
}

// replacement mentions most of the lines, changes some and adds some, and now
// and then changes the header too.
func (w *writers) replacement(s invoice.State) invoice.Attributes {
	var ll []invoice.LineAttributes
	for _, l := range s.Lines {
		a := same(l.ID)
		if w.IntN(3) == 0 {
			a = w.edit()
			a.ID = domain.Some(l.ID)
		}
		if w.IntN(5) > 0 {
			ll = append(ll, a)
		}
	}
	for range w.IntN(3) {
		ll = append(ll, w.line())
	}
	a := invoice.Attributes{Lines: lines(ll...)}
	if w.IntN(4) == 0 {
		a.PerformerID = domain.Some(performer.ID(21 + w.Int64N(2)))
	}
	if w.IntN(4) == 0 {
		a.Discount = domain.Some(w.discount())
	}
	if w.IntN(4) == 0 {
		a.Number = domain.Some(fmt.Sprintf("R-%d", w.IntN(3)))
	}
	return a
}

func (w *writers) line() invoice.LineAttributes {
	a := line("thing", w.decimal(6), w.decimal(4))
	if w.IntN(10) == 0 {
		a.Total = domain.Some(claim(w.decimal(4)))
	}
	if w.IntN(3) == 0 {
		a.VAT = w.rate()
	}
	if w.IntN(4) == 0 {
		a.Discount = domain.Some(w.discount())
	}
	return a
}

func (w *writers) discount() money.Percent {
	return percent([]string{"0", "3", "12.5", "100"}[w.IntN(4)])
}

// rate draws the VAT of a line, which may be wrong, or that of the performer.
func (w *writers) rate() (a invoice.RateAttributes) {
	if w.IntN(2) == 0 {
		a.Percent = domain.Some(domain.Some(percent([]string{"0", "7", "19.5"}[w.IntN(3)])))
	}
	switch w.IntN(6) {
	case 0:
		a.Category = domain.Some(performer.Exempt)
	case 1:
		a.Category = domain.Some(performer.VATCategory(""))
	}
	return a
}

// edit changes one attribute of a line, or none.
func (w *writers) edit() invoice.LineAttributes {
	var a invoice.LineAttributes
	switch w.IntN(7) {
	case 0:
		a.Name = domain.Some([]string{"thing", "other", ""}[w.IntN(3)])
	case 1:
		a.Units = domain.Some([]string{"", "kg"}[w.IntN(2)])
	case 2:
		a.Count = domain.Some(quantity(w.decimal(6)))
	case 3:
		a.Price = domain.Some(amount(w.decimal(4)))
	case 4:
		a.VAT = w.rate()
	case 5:
		a.Discount = domain.Some(w.discount())
	}
	return a
}

func (w *writers) terms() performer.Terms {
	return performer.Terms{VATUse: w.IntN(2) == 0, VATPercent: percent(fmt.Sprintf("%d.%02d", w.IntN(100), w.IntN(100)))}
}

// decimal is a number below 100000 in size with up to that many fraction
// digits; 0 at times.
func (w *writers) decimal(digits int) string {
	if w.IntN(15) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d.%0*d", w.IntN(200_000)-100_000, digits, w.IntN([]int{10, 10_000}[w.IntN(2)]))
}

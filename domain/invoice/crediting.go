package invoice

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/domain/user"
)

// CreditedLine is how much of a line of an invoice a credit note is for. Price and Total have no effect, but must be correct: Total
// as the invoice has it or as the credit note does, whose sign is the opposite.
type CreditedLine struct {
	ID    LineID
	Count domain.Optional[money.Quantity] // absent: all that is left
	Price domain.Optional[money.Amount]
	Total domain.Optional[money.ControlTotal]
}

// Former is what former credit notes of an invoice have, with their signs, which are opposite to those of the invoice.
type Former struct {
	Lines       map[LineID]FormerLine // by the lines of the invoice
	Adjustments []Adjustment          // those of the invoice
}

// FormerLine is what former credit notes have of a line of the invoice.
type FormerLine struct {
	Count money.Quantity
	Total money.Amount
	VAT   Rate // that of the line
}

// Clone returns a copy.
func (f Former) Clone() Former {
	f.Lines = maps.Clone(f.Lines)
	if f.Lines == nil {
		f.Lines = map[LineID]FormerLine{}
	}
	return f
}

// Add adds the line of a credit note. Other lines have no effect.
func (f Former) Add(l Line) {
	if l.Credits != 0 {
		was := f.Lines[l.Credits]
		f.Lines[l.Credits] = FormerLine{was.Count.Plus(l.Count), was.Total.Plus(l.Total), l.VAT}
	}
}

// AddAdjustments adds those of a credit note, which are those of the invoice, in its order.
func (f *Former) AddAdjustments(note []Adjustment) {
	f.Adjustments = slices.Clone(f.Adjustments)
	for i, a := range note {
		if i == len(f.Adjustments) {
			f.Adjustments = append(f.Adjustments, a)
		} else {
			f.Adjustments[i].Amount = f.Adjustments[i].Amount.Plus(a.Amount)
		}
	}
}

// Sums returns the sums of the lines by rate, and the adjustments.
func (f Former) Sums() Sums {
	sums := Sums{Adjustments: f.Adjustments}
	for _, l := range f.Lines {
		sums.Lines = sums.Lines.With(l.VAT, 1, l.Total)
	}
	return sums
}

// Amounts returns what the former credit notes of an invoice come to, with its discount and terms.
func (f Former) Amounts(discount money.Percent, t performer.Terms) Amounts {
	return amountsOf(f.Sums(), Sums{}, discount, t)
}

// CreditRequest says what a credit note is for.
type CreditRequest struct {
	Issuer user.ID
	Lines  domain.Optional[[]CreditedLine] // absent: all that is left
	Date   time.Time
	Notice domain.Optional[string]
	// Number is that of a credit note for an invoice that was numbered by hand; there is none if it is drawn from a series.
	Number   domain.Optional[string]
	IsByHand bool
	Former   Former
	// Notes are the former credit notes, which Credit may settle.
	Notes []*Invoice
}

// Credit returns an issued credit note for lines of the invoice, which must all be loaded; unless it is numbered by hand, the caller
// then has to call SetNumber. An invoice that was numbered by hand counts as issued from then on. The credit note is set off against
// it, and settled with it if nothing is left: see SetOff and Settle. More than is left, of a line or altogether, is a fault.Invalid. A
// draft, a credit note and a cancelled invoice that is not issued cannot be credited: fault.Conflict.
func (inv *Invoice) Credit(r CreditRequest, at time.Time) (*Invoice, error) {
	s := inv.state
	if len(s.Lines) != s.TotalCount {
		return nil, ErrLinesMissing
	}
	var c fault.Collector
	credited := r.Former.Clone() // with the lines of the note
	note := State{
		UserID: r.Issuer, PerformerID: s.PerformerID, ClientID: s.ClientID, DealID: s.DealID, TypeID: s.TypeID,
		Discount: s.Discount, Currency: s.Currency, Exchange: s.Exchange, Trade: s.Trade.Credited(), Status: NotPaid,
		CreatedOn: at, UpdatedOn: at, IssuedOn: at, Credits: s.ID,
	}
	note.Date = civil.Required(&c, "date", domain.Some(r.Date), time.Time{})
	note.Notice = text.Optional(&c, "notice", r.Notice, "", text.Long)
	refused := s.checkCredit()
	if refused == nil {
		note.Number = r.number(&c)
	}
	note.Lines = s.creditLines(&c, r.Lines, credited)
	note.Adjustments = s.creditAdjustments(credited, r.Former)
	note = note.withTotals(&c, nil, r.Former, s.Terms, blameItems)
	s.checkLeft(&c, r.Former.Amounts(s.Discount, s.Terms), note)
	if err := c.Err(); err != nil {
		return nil, err
	}
	if refused != nil {
		return nil, refused
	}
	if !s.isIssued() {
		s.UpdatedOn = s.stamp(at)
		s.IssuedOn = s.UpdatedOn
		inv.state = s
	}
	credit := &Invoice{state: note}
	all := append(slices.Clone(r.Notes), credit)
	inv.SetOff(all, at)
	if !slices.ContainsFunc(s.Lines, func(l Line) bool { return !l.left(credited).IsZero() }) {
		inv.Settle(all, at)
	}
	return credit, nil
}

// SetOff sets what is due of the invoice off against its credit notes, in their order. The caller has to add the payment of 0 that
// SetOffPrice shows.
func (inv *Invoice) SetOff(notes []*Invoice, at time.Time) {
	for _, n := range notes {
		due := inv.state.Due()
		amount := n.state.Due().Negated()
		isSame := !due.IsZero() && !amount.IsZero() && due.IsNegative() == amount.IsNegative()
		if !isSame || inv.state.Status == Closed || n.state.Status == Closed {
			continue
		}
		if amount.Exceeds(due) {
			amount = due
		}
		inv.setOff(amount, at)
		n.setOff(amount.Negated(), at)
	}
}

// Settle cancels the invoice, of which nothing is left, and its credit notes, if they are set off and no money was paid or waived:
// unless one of them is closed, or paid although nothing is owed of it.
func (inv *Invoice) Settle(notes []*Invoice, at time.Time) {
	all := append(slices.Clone(notes), inv)
	stays := func(i *Invoice) bool {
		s := i.state
		return !s.Due().IsZero() || s.hasMoney() || s.Status == Closed || s.Status == Paid && s.OwedPrice.IsZero()
	}
	if slices.ContainsFunc(all, stays) {
		return
	}
	for _, i := range all {
		i.state.UpdatedOn = i.state.stamp(at)
		i.state = i.state.enter(Cancelled, at)
	}
}

func (inv *Invoice) setOff(a money.Amount, at time.Time) {
	s := inv.state
	s.PaidPrice, s.SetOffPrice = s.PaidPrice.Plus(a), s.SetOffPrice.Plus(a)
	s = s.paidIfNothingIsDue(at)
	s.UpdatedOn = s.stamp(at)
	inv.state = s
}

// checkCredit returns a fault.Conflict if the invoice cannot be credited.
func (s State) checkCredit() error {
	switch {
	case s.Credits != 0:
		return fault.New(fault.Conflict, "the invoice is a credit note, which cannot be credited").Coded(fault.Frozen)
	case s.IsDraft():
		return fault.New(fault.Conflict, "the invoice is a draft, which cannot be credited").Coded(fault.Frozen)
	case !s.isIssued() && s.Status == Cancelled:
		return fault.New(fault.Conflict, "the invoice is cancelled: it cannot be credited").Coded(fault.Frozen)
	}
	return nil
}

// number returns the number of a credit note that is numbered by hand.
func (r CreditRequest) number(c *fault.Collector) string {
	if r.IsByHand {
		return text.Required(c, "number", r.Number, "", text.Number)
	}
	if r.Number.Or("") != "" {
		c.Add("number", "is drawn from the series of the performer: leave it out")
	}
	return ""
}

// left returns the count of the line that is left to be credited.
func (l Line) left(f Former) money.Quantity { return l.Count.Plus(f.Lines[l.ID].Count) }

// creditLines returns the lines of a credit note, and adds them to what is credited.
func (s State) creditLines(c *fault.Collector, asked domain.Optional[[]CreditedLine], credited Former) (lines []Line) {
	byID := make(map[LineID]Line, len(s.Lines))
	var all []CreditedLine
	for _, l := range s.Lines {
		byID[l.ID] = l
		if !l.left(credited).IsZero() {
			all = append(all, CreditedLine{ID: l.ID})
		}
	}
	for i, a := range asked.Or(all) {
		prefix := fmt.Sprintf("items[%d].", i)
		l := byID[a.ID]
		count := a.Count.Or(l.left(credited))
		if !l.checkCredit(c, prefix, count, credited) {
			continue
		}
		credit := Line{
			Name: l.Name, Units: l.Units, Count: count.Negated(), Price: l.Price, BaseCount: l.BaseCount, Discount: l.Discount,
			VAT: l.VAT, Item: l.Item, Credits: l.ID,
		}
		if former := credited.Lines[l.ID]; lineTotal(l, FormerLine{}, s.Terms).Result.Equal(l.Total) && len(l.Adjustments) == 0 {
			credit.Total = lineTotal(credit, former, s.Terms).Result
		} else {
			credit = apportioned(credit, l, former, s.Terms)
		}
		a.check(c, prefix, credit)
		credited.Add(credit)
		lines = append(lines, credit)
	}
	if len(lines) == 0 && c.Err() == nil {
		c.Coded(fault.Required, "items", "must not be empty: there is nothing to credit")
	}
	return lines
}

// checkCredit reports whether so much of the line can be credited, and else why not. A line without an id is not the invoice's.
func (l Line) checkCredit(c *fault.Collector, prefix string, count money.Quantity, credited Former) bool {
	left := l.left(credited)
	switch {
	case l.ID == 0:
		c.Coded(fault.NoRecord, prefix+"id", "is not a line of this invoice")
	case left.IsZero():
		c.Coded(fault.OutOfRange, prefix+"id", "is a line that is credited in full")
	case count.Exceeds(left):
		c.Coded(fault.OutOfRange, prefix+"count", "must have the sign of the remaining count, %s, and not exceed it", left)
	default:
		return true
	}
	return false
}

// check compares what the writer states with the line of the credit note.
func (a CreditedLine) check(c *fault.Collector, prefix string, credit Line) {
	if price, ok := a.Price.Get(); ok && !price.Equal(credit.Price) {
		c.Coded(fault.Mismatch, prefix+"price", "must be %s", credit.Price)
	}
	if claim, ok := a.Total.Get(); ok && !claim.Matches(credit.Total) && !claim.Matches(credit.Total.Negated()) {
		c.Coded(fault.Mismatch, prefix+"total_price", "must be %s", credit.Total.Negated())
	}
}

// checkLeft rejects a credit note for more than is left of the invoice, as without a discount that is one of its lines.
func (s State) checkLeft(c *fault.Collector, former Amounts, note State) {
	for _, a := range []struct {
		name                  string
		invoiced, former, now money.Amount
	}{
		{"total_price", s.TotalPrice, former.Total.Result, note.TotalPrice},
		{"pay_price", s.PayPrice, former.Pay.Result, note.PayPrice},
	} {
		left, credit := a.invoiced.Plus(a.former), a.now.Negated()
		if c.Err() == nil && !credit.IsZero() && credit.Exceeds(left) {
			c.Coded(fault.OutOfRange, "items",
				"must come to a %s with the sign of the remaining one, %s, and not exceed it; it is %s", a.name, left, credit)
		}
	}
}

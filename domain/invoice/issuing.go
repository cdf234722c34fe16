package invoice

import (
	"fmt"
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

// DraftNumber is the number of an invoice of a series until it is issued.
func DraftNumber(id ID) string { return performer.DraftPattern.Number(0, int64(id)) }

// IsDraft reports whether the invoice has no number of its own yet.
func (s State) IsDraft() bool { return !s.isIssued() && s.Number == DraftNumber(s.ID) }

func (s State) isIssued() bool { return !s.IssuedOn.IsZero() }

// Issue issues the invoice, with that date if it is given. A due date that is the payment days after the date, as DueAfter sets it,
// moves with the date. From then on only its payment, its closing and notice change. The
// caller then has to call SetNumber. An invoice without lines is a fault.Invalid, one that is issued, closed or cancelled a
// fault.Conflict.
func (inv *Invoice) Issue(date domain.Optional[time.Time], paymentDays *int32, at time.Time) error {
	var c fault.Collector
	next := inv.State()
	next.Date = civil.Required(&c, "date", date, next.Date)
	if paymentDays != nil && next.DueDate.Equal(dueAfter(inv.state.Date, *paymentDays)) {
		if due := dueAfter(next.Date, *paymentDays); civil.InRange(due) {
			next.DueDate = due
		}
	}
	if next.TotalCount == 0 {
		c.Coded(fault.Required, "items", "must not be empty: an invoice without lines cannot be issued")
	}
	if err := c.Err(); err != nil {
		return err
	}
	switch {
	case next.isIssued():
		return fault.New(fault.Conflict, "the invoice is issued: it cannot be issued again").Coded(fault.Frozen)
	case next.Status.frozen():
		return fault.New(fault.Conflict, "the invoice is %s: it cannot be issued", next.Status.adjective()).Coded(fault.Frozen)
	}
	next.UpdatedOn = next.stamp(at)
	next.IssuedOn = next.UpdatedOn
	inv.state = next
	return nil
}

// SetNumber sets the number that was drawn for an issued invoice.
func (inv *Invoice) SetNumber(number string) { inv.state.Number = number }

// CreditedLine is how much of a line of an invoice a credit note is for.
type CreditedLine struct {
	ID    LineID
	Count domain.Optional[money.Quantity] // absent: all that is left
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
	// Credited has the counts of the invoice's lines that former credit notes are for.
	Credited map[LineID]money.Quantity
	// Notes are the former credit notes, which Credit may cancel.
	Notes []*Invoice
}

// Credit returns an issued credit note for lines of the invoice, which must all be loaded; unless it is numbered by hand, the caller
// then has to call SetNumber. An invoice that was numbered by hand counts as issued from then on. If nothing is left to be credited,
// the invoice and its credit notes are settled (see Settle). More than is left is a fault.Invalid. A draft, a credit note and a
// cancelled invoice that is not issued cannot be credited: fault.Conflict.
func (inv *Invoice) Credit(r CreditRequest, at time.Time) (*Invoice, error) {
	s := inv.state
	if len(s.Lines) != s.TotalCount {
		return nil, ErrLinesMissing
	}
	var c fault.Collector
	left := s.leftToCredit(r.Credited)
	note := State{
		UserID: r.Issuer, PerformerID: s.PerformerID, ClientID: s.ClientID, DealID: s.DealID, TypeID: s.TypeID,
		Status: NotPaid, CreatedOn: at, UpdatedOn: at, IssuedOn: at, Credits: s.ID,
	}
	note.Date = civil.Required(&c, "date", domain.Some(r.Date), time.Time{})
	note.Notice = text.Optional(&c, "notice", r.Notice, "", text.Long)
	refused := s.checkCredit()
	if refused == nil {
		note.Number = r.number(&c)
	}
	note.Lines = s.creditLines(&c, r.Lines, left)
	note = note.withTotals(&c, nil, s.Terms, blameItems)
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
	if len(left) == 0 {
		inv.Settle(append(slices.Clone(r.Notes), credit), at)
	}
	return credit, nil
}

// Settle cancels the invoice, of which nothing is left, and all its credit notes, unless it or one of them is paid. What is not paid
// is then at any time what was invoiced, less what was credited and paid: together they come to nothing, but a payment of one of
// them is still to be paid back.
func (inv *Invoice) Settle(notes []*Invoice, at time.Time) {
	all := append(slices.Clone(notes), inv)
	if slices.ContainsFunc(all, func(i *Invoice) bool { return i.state.Status.Paid() }) {
		return
	}
	for _, i := range all {
		i.state.UpdatedOn = i.state.stamp(at)
		i.state = i.state.enter(Cancelled, at)
	}
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

// leftToCredit returns the counts of the lines of which something is left.
func (s State) leftToCredit(credited map[LineID]money.Quantity) map[LineID]money.Quantity {
	left := map[LineID]money.Quantity{}
	for _, l := range s.Lines {
		if rest := l.Count.Minus(credited[l.ID]); !rest.IsZero() {
			left[l.ID] = rest
		}
	}
	return left
}

// creditLines returns the lines of a credit note, and takes their counts from what is left.
func (s State) creditLines(c *fault.Collector, asked domain.Optional[[]CreditedLine], left map[LineID]money.Quantity) (lines []Line) {
	byID := make(map[LineID]Line, len(s.Lines))
	var all []CreditedLine
	for _, l := range s.Lines {
		byID[l.ID] = l
		if _, ok := left[l.ID]; ok {
			all = append(all, CreditedLine{ID: l.ID})
		}
	}
	for i, a := range asked.Or(all) {
		prefix := fmt.Sprintf("items[%d].", i)
		l, isKnown := byID[a.ID]
		rest, isLeft := left[a.ID]
		count := a.Count.Or(rest)
		switch {
		case !isKnown:
			c.Coded(fault.NoRecord, prefix+"id", "is not a line of this invoice")
			continue
		case !isLeft:
			c.Coded(fault.OutOfRange, prefix+"id", "is a line of which nothing is left to be credited")
			continue
		case count.IsZero() || count.Exceeds(rest):
			c.Coded(fault.OutOfRange, prefix+"count", "must have the sign of what is left, and at most its size: %s", rest)
			continue
		}
		if left[a.ID] = rest.Minus(count); left[a.ID].IsZero() {
			delete(left, a.ID)
		}
		credit := Line{Name: l.Name, Units: l.Units, Count: count.Negated(), Price: l.Price, Credits: l.ID}
		credit.Total = lineTotal(credit.Count, credit.Price, s.Terms).Result
		lines = append(lines, credit)
	}
	if len(lines) == 0 && c.Err() == nil {
		c.Coded(fault.Required, "items", "must not be empty: there is nothing to credit")
	}
	return lines
}

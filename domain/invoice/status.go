package invoice

import (
	"slices"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
)

// Status is the state of an invoice. The zero value is invalid. Its numbers are
// those of the API.
//
// A writer requests a state by its number or by the flags paid and closed. A value
// that only repeats the present state requests nothing. So a record can be sent back
// as it was read, and a cancelled invoice, whose flags are those of one not paid,
// stays cancelled.
type Status uint8

// The states.
const (
	NotPaid   Status = 1
	Paid      Status = 2
	Closed    Status = 3 // paid and completed
	Cancelled Status = 4
)

// closedUnpaid is not a state, but the request to close an invoice without paying
// it, which checkMove rejects.
const closedUnpaid Status = 5

// moves are the allowed transitions. An invoice that is not paid can be closed only
// in the same write that pays it.
var moves = map[Status][]Status{
	NotPaid:   {Paid, Closed, Cancelled},
	Paid:      {NotPaid, Closed},
	Closed:    {Paid},
	Cancelled: {NotPaid},
}

var statusNames = [...]string{NotPaid: "Not paid", Paid: "Paid", Closed: "Closed", Cancelled: "Cancelled"}

// ParseStatus returns the state with number n; ok is false if there is none.
func ParseStatus(n int64) (s Status, ok bool) {
	s = Status(n)
	return s, n == int64(s) && s.known()
}

// String returns the displayed name of the state.
func (s Status) String() string {
	if !s.known() {
		return ""
	}
	return statusNames[s]
}

// Paid reports whether an invoice in this state counts as paid.
func (s Status) Paid() bool { return s == Paid || s == Closed }

// Closed reports whether an invoice in this state counts as closed.
func (s Status) Closed() bool { return s == Closed }

func (s Status) known() bool { return NotPaid <= s && s <= Cancelled }

func (s Status) frozen() bool { return s == Closed || s == Cancelled }

// adjective returns the state's name within a sentence.
func (s Status) adjective() string { return strings.ToLower(s.String()) }

// requestedStatus returns the state that the writer requests, given the present one
// (zero for a new invoice, where every value is a request).
func requestedStatus(c *fault.Collector, now Status, a Attributes) Status {
	isNew := now == 0
	status, named := a.Status.Get()
	paid, closed := a.Paid.Or(now.Paid()), a.Closed.Or(now.Closed())
	if named && !status.known() {
		c.Add("status_id", "must be 1, 2, 3 or 4")
		return now
	}
	if a.Closed.Or(false) && !paid && (a.Paid.IsSet() || isNew && !named) {
		c.Coded(fault.Mismatch, "closed", "must not be true while paid is false")
		return now
	}
	requestsPaid := a.Paid.IsSet() && (isNew || paid != now.Paid())
	requestsClosed := a.Closed.IsSet() && (isNew || closed != now.Closed())
	switch {
	case named && status != now:
		if requestsPaid && paid != status.Paid() {
			c.Coded(fault.Mismatch, "paid", "contradicts status_id")
		}
		if requestsClosed && closed != status.Closed() {
			c.Coded(fault.Mismatch, "closed", "contradicts status_id")
		}
		return status
	case isNew || requestsPaid || requestsClosed:
		return flagged(paid, closed, requestsClosed)
	}
	return now
}

// flagged returns the state of an invoice that is to have these flags. Where closed
// is unchanged and paid is cleared, closed is cleared with it.
func flagged(paid, closed, requestsClosed bool) Status {
	switch {
	case paid && closed:
		return Closed
	case paid:
		return Paid
	case closed && requestsClosed:
		return closedUnpaid
	}
	return NotPaid
}

// checkMove returns a fault.Conflict if no invoice goes from the one state to the
// other.
func checkMove(from, to Status) error {
	switch {
	case from == to || slices.Contains(moves[from], to):
		return nil
	case to == closedUnpaid:
		return fault.New(fault.Conflict, "an invoice that is %s cannot be closed: it has to be paid", from.adjective()).Coded(fault.NoTransition)
	}
	return fault.New(fault.Conflict, "an invoice that is %s cannot become %s", from.adjective(), to.adjective()).Coded(fault.NoTransition)
}

// enter returns the invoice in the state to; that is paid from now on, still, or
// not.
func (s State) enter(to Status, at time.Time) State {
	switch {
	case !to.Paid():
		s.PaidOn = time.Time{}
	case !s.Status.Paid():
		s.PaidOn = s.stamp(at)
	}
	s.Status = to
	return s
}

// RequestsUnpaid reports whether the attributes request that an invoice is not paid, if it is.
func (a Attributes) RequestsUnpaid() bool {
	return !a.Paid.Or(true) || a.Status.Or(Paid) == NotPaid
}

// Package payment contains the aggregate of a payment: money that a performer has got, or below 0 paid back, and its items, which are
// what it settles of invoices. payment.go has the header, items.go the items.
//
// Chose: whether so much is due of an invoice is decided by that (invoice.Allocate), and only the sum of the items here. Because: an
// invoice knows what all payments settle of it. Costs: a use case has to change both in one transaction.
package payment

import (
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/text"
)

// ID identifies a payment. Zero is none.
type ID int64

// State is the stored state of a payment. All amounts are in cents. A missing text is empty.
type State struct {
	ID          ID
	Version     int64
	PerformerID performer.ID
	ClientID    client.ID    // who paid; zero: not known
	AutomaticOf invoice.ID   // the invoice that it follows; zero: it is not automatic
	Date        time.Time    // the day, as package civil has it
	Amount      money.Amount // below 0: paid back; 0: sets what is due of invoices against each other
	Left        money.Amount // the amount less the items
	Method      string
	Reference   string // the bank's, unique among the payments of the performer
	Notice      string
	CreatedOn   time.Time
	UpdatedOn   time.Time
	Ref         string // the caller's own key, unique among payments
	Items       []Item // stored ones by id; of a payment that is being changed, in the order in which they were sent
}

// Attributes are the writable attributes of a payment. Absent means unchanged.
type Attributes struct {
	PerformerID domain.Optional[performer.ID]
	ClientID    domain.Optional[client.ID]
	Date        domain.Optional[time.Time]
	Amount      domain.Optional[money.Amount]
	Method      domain.Optional[string]
	Reference   domain.Optional[string]
	Notice      domain.Optional[string]
	Ref         domain.Optional[string]
	Items       domain.Optional[[]ItemAttributes]
	// Of a new payment, in place of its items: the one invoice that it is for, or that it is for the oldest ones of the client. See
	// Spread.
	InvoiceID domain.Optional[invoice.ID]
	Oldest    bool
}

// IsSetOff reports whether the payment is no money, but sets off what is due of invoices against each other.
func (s State) IsSetOff() bool { return s.Amount.IsZero() }

// With returns the state with the valid ones of the attributes applied.
func (s State) With(a Attributes) State { return apply(new(fault.Collector), s, a) }

// Payment is the aggregate of a payment.
type Payment struct {
	state State
}

// New returns a new payment. Performer, date and amount are required.
func New(a Attributes, at time.Time) (*Payment, error) {
	var c fault.Collector
	s := apply(&c, State{CreatedOn: at, UpdatedOn: at}, a)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &Payment{s}, nil
}

// Restore returns a payment with a stored state, without validation.
func Restore(s State) *Payment {
	s.Items = slices.Clone(s.Items)
	return &Payment{s}
}

// State returns a copy of the payment's state.
func (p *Payment) State() State {
	s := p.state
	s.Items = slices.Clone(s.Items)
	return s
}

// Update sets the attributes that are present. Items, if present, replace all items. An automatic payment does not change: it is a
// fault.Conflict.
func (p *Payment) Update(a Attributes, at time.Time) error {
	var c fault.Collector
	next := apply(&c, p.state, a)
	if err := c.Err(); err != nil {
		return err
	}
	if Same(p.state, next) {
		return nil
	}
	if err := p.CheckDelete(); err != nil {
		return err
	}
	if at.After(next.UpdatedOn) {
		next.UpdatedOn = at
	}
	p.state = next
	return nil
}

// CheckDelete returns a fault.Conflict for an automatic payment.
func (p *Payment) CheckDelete() error {
	if p.state.AutomaticOf == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "the payment follows invoice %d: paid = 0 there removes it", p.state.AutomaticOf).Coded(fault.Automatic)
}

// Same reports whether two states of a payment are equal, but for the order of their items.
func Same(a, b State) bool {
	return a.ID == b.ID && a.Version == b.Version && a.PerformerID == b.PerformerID && a.ClientID == b.ClientID &&
		a.AutomaticOf == b.AutomaticOf && a.Date.Equal(b.Date) && a.Amount.Equal(b.Amount) && a.Left.Equal(b.Left) &&
		a.Method == b.Method && a.Reference == b.Reference && a.Notice == b.Notice && a.Ref == b.Ref &&
		a.CreatedOn.Equal(b.CreatedOn) && a.UpdatedOn.Equal(b.UpdatedOn) && sameItems(a.Items, b.Items)
}

func apply(c *fault.Collector, s State, a Attributes) State {
	s.PerformerID = a.PerformerID.Or(s.PerformerID)
	if s.PerformerID == 0 {
		c.Coded(fault.Required, "performer_id", "is required")
	}
	s.ClientID = a.ClientID.Or(s.ClientID)
	s.Date = civil.Required(c, "date", a.Date, s.Date).Truncate(24 * time.Hour)
	if s.Amount = a.Amount.Or(s.Amount); s.ID == 0 && !a.Amount.IsSet() {
		c.Coded(fault.Required, "amount", "is required")
	}
	s.Method = text.Optional(c, "method", a.Method, s.Method, text.Short)
	s.Reference = text.Optional(c, "reference", a.Reference, s.Reference, text.Ref)
	s.Notice = text.Optional(c, "notice", a.Notice, s.Notice, text.Long)
	s.Ref = text.Optional(c, "ref", a.Ref, s.Ref, text.Ref)
	checkShort(c, a)
	s.Items = replaceItems(c, s.Items, a.Items)
	s.Left = s.Amount.Minus(spent(s.Items))
	if spent := spent(s.Items); !spent.IsZero() && spent.Exceeds(s.Amount) {
		if a.Items.IsSet() {
			c.Coded(fault.OverSpent, "items", "come to %s, which the payment of %s does not cover", spent.Fixed(2), s.Amount.Fixed(2))
		} else {
			c.Coded(fault.OverSpent, "amount", "does not cover the items, which come to %s", spent.Fixed(2))
		}
	}
	return s
}

// checkShort refuses several ways to say what a payment is for.
func checkShort(c *fault.Collector, a Attributes) {
	switch {
	case a.Items.IsSet() && a.InvoiceID.Or(0) != 0:
		c.Coded(fault.Mismatch, "invoice_id", "must not be given together with items")
	case a.Oldest && (a.Items.IsSet() || a.InvoiceID.Or(0) != 0):
		c.Coded(fault.Mismatch, "allocate", "must not be given together with items or invoice_id")
	case a.Oldest && a.ClientID.Or(0) == 0:
		c.Coded(fault.Required, "client_id", "is required to allocate the payment")
	}
}

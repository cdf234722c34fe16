// Package deal contains the aggregate of a deal, which may start without a client.
package deal

import (
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/domain/user"
)

// ID identifies a deal. Zero is none.
type ID int64

// State is the stored state of a deal.
type State struct {
	ID        ID
	Version   int64
	Name      string
	ClientID  client.ID // zero while there is no client
	UserID    user.ID   // the responsible user
	TypeID    catalog.DealTypeID
	StatusID  catalog.StatusID
	CreatedAt time.Time
	UpdatedAt time.Time
	Ref       string // the caller's own key, unique among deals
}

// With returns the state with the valid ones of the attributes applied. Rules
// judge it before the aggregate validates the change, because a forbidden change
// takes precedence over an invalid one.
func (s State) With(a Attributes) State { return apply(new(fault.Collector), s, a) }

// Deal is the aggregate of a deal.
type Deal struct {
	state State
}

// Attributes are the writable attributes of a deal. Absent means unchanged; a
// ClientID or TypeID of zero removes the client or type.
type Attributes struct {
	Name     domain.Optional[string]
	ClientID domain.Optional[client.ID]
	UserID   domain.Optional[user.ID]
	TypeID   domain.Optional[catalog.DealTypeID]
	StatusID domain.Optional[catalog.StatusID]
	Ref      domain.Optional[string]
}

// Facts are facts about other records that Update needs.
type Facts struct {
	HasInvoices bool
}

// New returns a new deal with the responsible user owner and the status initial,
// unless the attributes name others. The name is required. If initial is zero,
// there is no default status, and the attributes must name one.
func New(owner user.ID, initial catalog.StatusID, a Attributes, at time.Time) (*Deal, error) {
	var c fault.Collector
	s := apply(&c, State{UserID: owner, StatusID: initial, CreatedAt: at, UpdatedAt: at}, a)
	if !a.StatusID.IsSet() && initial == 0 {
		c.Coded(fault.Required, "status_id", "is required, as no status is the default: name one, or make one the default")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &Deal{state: s}, nil
}

// Restore returns a deal with a stored state, without validation.
func Restore(s State) *Deal { return &Deal{state: s} }

// State returns a copy of the deal's state.
func (d *Deal) State() State { return d.state }

// ChangesClient reports whether an update with these attributes would set, change or
// remove the deal's client. Only then does Update use its facts.
func (d *Deal) ChangesClient(a Attributes) bool {
	return a.ClientID.Or(d.state.ClientID) != d.state.ClientID
}

// Update sets the attributes that are present. Changing the client of a deal with
// invoices is a fault.Conflict. UpdatedAt changes only if another attribute does,
// and never goes back.
func (d *Deal) Update(a Attributes, f Facts, at time.Time) error {
	var c fault.Collector
	next := apply(&c, d.state, a)
	if err := c.Err(); err != nil {
		return err
	}
	if d.ChangesClient(a) && f.HasInvoices {
		return fault.New(fault.Conflict, "the deal has invoices, so its client cannot change").Coded(fault.InUse)
	}
	d.replace(next, at)
	return nil
}

// GainClient sets the client of a deal without one, as when an invoice is issued
// for it. If the deal has another client, it returns a fault.Conflict.
func (d *Deal) GainClient(id client.ID, at time.Time) error {
	if d.state.ClientID != 0 && d.state.ClientID != id {
		return fault.New(fault.Conflict, "the deal has another client").Coded(fault.Mismatch)
	}
	next := d.state
	next.ClientID = id
	d.replace(next, at)
	return nil
}

func (d *Deal) replace(next State, at time.Time) {
	if next == d.state {
		return
	}
	if at.Before(next.UpdatedAt) { // the clock was set back since, or a later request was served first
		at = next.UpdatedAt
	}
	next.UpdatedAt = at
	d.state = next
}

func apply(c *fault.Collector, s State, a Attributes) State {
	s.Name = text.Required(c, "name", a.Name, s.Name, text.Short)
	s.Ref = text.Optional(c, "ref", a.Ref, s.Ref, text.Ref)
	s.ClientID = a.ClientID.Or(s.ClientID)
	if id, ok := a.UserID.Get(); ok && id == 0 {
		c.Coded(fault.Required, "user", "must not be empty")
	} else if ok {
		s.UserID = id
	}
	s.TypeID = a.TypeID.Or(s.TypeID)
	if id, ok := a.StatusID.Get(); ok {
		if id == 0 {
			c.Coded(fault.Required, "status_id", "must not be empty")
		} else {
			s.StatusID = id
		}
	}
	return s
}

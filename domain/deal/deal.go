// Package deal contains the aggregate of a deal: a sale or a project. A deal may
// start before its client is known.
package deal

import (
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/domain/user"
)

// ID identifies a deal. Zero is none.
type ID int64

// State is a deal's record, for stores and readers.
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
}

// With is the record as the attributes would make it, without those that are
// wrong. Rules are asked about it before anything else: that something may not
// be done comes before how it is done wrongly.
func (s State) With(a Attributes) State { return apply(new(fault.Collector), s, a) }

// Deal is a sale or a project.
type Deal struct {
	state State
}

// Attributes are what a writer may set of a deal. Absent means unchanged; a
// ClientID or TypeID of zero takes the client or type away.
type Attributes struct {
	Name     optional.Of[string]
	ClientID optional.Of[client.ID]
	UserID   optional.Of[user.ID]
	TypeID   optional.Of[catalog.DealTypeID]
	StatusID optional.Of[catalog.StatusID]
}

// Facts is what a deal cannot see from inside.
type Facts struct {
	HasInvoices bool
}

// New makes a deal that belongs to owner and has the status initial unless the
// attributes say otherwise. The name is required. An initial of zero means that
// the company has no default status; then the attributes must name one.
func New(owner user.ID, initial catalog.StatusID, a Attributes, at time.Time) (*Deal, error) {
	var c fault.Collector
	s := apply(&c, State{UserID: owner, StatusID: initial, CreatedAt: at, UpdatedAt: at}, a)
	if !a.StatusID.IsSet() && initial == 0 {
		c.Add("status_id", "is required, as no status is the default: name one, or make one the default")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &Deal{state: s}, nil
}

// Restore is a stored deal.
func Restore(s State) *Deal { return &Deal{state: s} }

// State is a copy of the deal's record.
func (d *Deal) State() State { return d.state }

// MovesClient reports whether an update with these attributes would give the
// deal another client, its first one, or none. Only then does Update look at
// the facts.
func (d *Deal) MovesClient(a Attributes) bool {
	return a.ClientID.Or(d.state.ClientID) != d.state.ClientID
}

// Update changes the attributes that were sent. A deal that has invoices keeps its
// client (fault.Conflict). Whether it gained one follows from its state before
// and after. UpdatedAt moves only if something differs, and is never
// before CreatedAt.
func (d *Deal) Update(a Attributes, f Facts, at time.Time) error {
	var c fault.Collector
	next := apply(&c, d.state, a)
	if err := c.Err(); err != nil {
		return err
	}
	if d.MovesClient(a) && f.HasInvoices {
		return fault.New(fault.Conflict, "the deal has invoices, so its client cannot change")
	}
	d.replace(next, at)
	return nil
}

// GainClient gives a client to a deal that has none, as an invoice does that is
// issued for it. A deal that has another client keeps it (fault.Conflict).
func (d *Deal) GainClient(id client.ID, at time.Time) error {
	if d.state.ClientID != 0 && d.state.ClientID != id {
		return fault.New(fault.Conflict, "the deal has another client")
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
	if at.Before(next.CreatedAt) { // the clock was set back since
		at = next.CreatedAt
	}
	next.UpdatedAt = at
	d.state = next
}

func apply(c *fault.Collector, s State, a Attributes) State {
	s.Name = text.Required(c, "name", a.Name, s.Name, text.Short)
	s.ClientID = a.ClientID.Or(s.ClientID)
	if id, ok := a.UserID.Get(); ok && id == 0 {
		c.Add("user", "must not be empty")
	} else if ok {
		s.UserID = id
	}
	s.TypeID = a.TypeID.Or(s.TypeID)
	if id, ok := a.StatusID.Get(); ok {
		if id == 0 {
			c.Add("status_id", "must not be empty")
		} else {
			s.StatusID = id
		}
	}
	return s
}

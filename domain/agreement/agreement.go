// Package agreement contains the aggregate of the agreements of a deal: offers
// and contracts.
package agreement

import (
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// OfferID identifies an offer. Zero is none.
type OfferID int64

// ContractID identifies a contract. Zero is none.
type ContractID int64

// Identifier is the type of an agreement's identifier. Offers and contracts
// differ only in it.
type Identifier interface {
	OfferID | ContractID
}

// Offer is a commercial offer made in a deal.
type Offer = Agreement[OfferID]

// Contract is a contract concluded in a deal.
type Contract = Agreement[ContractID]

// State is the stored state of an agreement.
type State[ID Identifier] struct {
	ID        ID
	Version   int64
	DealID    deal.ID
	Number    string    // need not be unique
	Date      time.Time // as package civil has it; zero if there is none
	Notice    string
	CreatedOn time.Time
}

// With returns the state with the valid ones of the attributes applied.
func (s State[ID]) With(a Attributes) State[ID] { return apply(new(fault.Collector), s, a) }

// Agreement is an offer or a contract of a deal.
type Agreement[ID Identifier] struct {
	state State[ID]
}

// Attributes are the writable attributes of an agreement. Absent means unchanged;
// a Date of zero removes the date.
type Attributes struct {
	DealID domain.Optional[deal.ID]
	Number domain.Optional[string]
	Date   domain.Optional[time.Time]
	Notice domain.Optional[string]
}

// New returns a new agreement; deal and number are required.
func New[ID Identifier](a Attributes, at time.Time) (*Agreement[ID], error) {
	d := Agreement[ID]{State[ID]{CreatedOn: at}}
	if err := d.Update(a); err != nil {
		return nil, err
	}
	return &d, nil
}

// Restore returns an agreement with a stored state, without validation.
func Restore[ID Identifier](s State[ID]) *Agreement[ID] { return &Agreement[ID]{state: s} }

// State returns a copy of the agreement's state.
func (d *Agreement[ID]) State() State[ID] { return d.state }

// Update sets the attributes that are present. An agreement can move to another
// deal, but cannot be without one.
func (d *Agreement[ID]) Update(a Attributes) error {
	var c fault.Collector
	next := apply(&c, d.state, a)
	if err := c.Err(); err != nil {
		return err
	}
	d.state = next
	return nil
}

func apply[ID Identifier](c *fault.Collector, s State[ID], a Attributes) State[ID] {
	s.DealID = applyDeal(c, s.DealID, a.DealID)
	s.Number = text.Required(c, "number", a.Number, s.Number, text.Number)
	s.Date = civil.Optional(c, "date", a.Date, s.Date)
	s.Notice = text.Optional(c, "notice", a.Notice, s.Notice, text.Long)
	return s
}

func applyDeal(c *fault.Collector, old deal.ID, sent domain.Optional[deal.ID]) deal.ID {
	id, ok := sent.Get()
	switch {
	case ok && id == 0:
		c.Coded(fault.Required, "deal_id", "must not be empty")
	case ok:
		return id
	case old == 0:
		c.Coded(fault.Required, "deal_id", "is required")
	}
	return old
}

// Same reports whether two states of an agreement are equal. They cannot be
// compared with ==, because equal instants may have different representations.
func Same[ID Identifier](a, b State[ID]) bool {
	return a.ID == b.ID && a.Version == b.Version && a.DealID == b.DealID && a.Number == b.Number &&
		a.Date.Equal(b.Date) && a.Notice == b.Notice && a.CreatedOn.Equal(b.CreatedOn)
}

// Package contact contains the aggregate of a contact: a person to talk to,
// linked to a client or, while a deal has no client, to that deal.
package contact

import (
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// ID identifies a contact. Zero is none.
type ID int64

// Link is the client or the deal that a contact is linked to, never both. The
// zero value is no link. Links can be compared with ==.
type Link struct {
	client client.ID
	deal   deal.ID
}

// ToClient returns a link to a client.
func ToClient(id client.ID) Link { return Link{client: id} }

// ToDeal returns a link to a deal.
func ToDeal(id deal.ID) Link { return Link{deal: id} }

// Client returns the linked client; ok is false if it is not a link to a
// client.
func (l Link) Client() (id client.ID, ok bool) { return l.client, l.client != 0 }

// Deal returns the linked deal; ok is false if it is not a link to a deal.
func (l Link) Deal() (id deal.ID, ok bool) { return l.deal, l.deal != 0 }

// State is the stored state of a contact. A missing text is empty.
type State struct {
	ID      ID
	Version int64
	Link    Link
	Name    string
	Phone   string
	Mobile  string
	Email   string
	Rank    string // job position
	Ref     string // the caller's own key, unique among contacts
}

// With returns the state with the valid ones of the attributes applied.
func (s State) With(a Attributes) State { return apply(new(fault.Collector), s, a) }

// Contact is a person to talk to.
type Contact struct {
	state State
}

// Attributes are the writable attributes of a contact. Absent means unchanged.
type Attributes struct {
	Name   domain.Optional[string]
	Phone  domain.Optional[string]
	Mobile domain.Optional[string]
	Email  domain.Optional[string]
	Rank   domain.Optional[string]
	Ref    domain.Optional[string]
}

// New returns a new contact; the link and the name are required.
func New(link Link, a Attributes) (*Contact, error) {
	var c fault.Collector
	if link == (Link{}) {
		c.Coded(fault.Required, "client_id", "is required unless deal_id is given")
		c.Coded(fault.Required, "deal_id", "is required unless client_id is given")
	}
	s := apply(&c, State{Link: link}, a)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &Contact{state: s}, nil
}

// Restore returns a contact with a stored state, without validation.
func Restore(s State) *Contact { return &Contact{state: s} }

// State returns a copy of the contact's state.
func (ct *Contact) State() State { return ct.state }

// Update sets the attributes that are present. The link is not one of them.
func (ct *Contact) Update(a Attributes) error {
	var c fault.Collector
	next := apply(&c, ct.state, a)
	if err := c.Err(); err != nil {
		return err
	}
	ct.state = next
	return nil
}

// HandTo links a contact of a deal to the client that the deal has gained. A
// contact of a client is not changed.
func (ct *Contact) HandTo(id client.ID) {
	if _, ok := ct.state.Link.Deal(); ok {
		ct.state.Link = ToClient(id)
	}
}

func apply(c *fault.Collector, s State, a Attributes) State {
	s.Name = text.Required(c, "name", a.Name, s.Name, text.Short)
	s.Phone = text.Optional(c, "phone", a.Phone, s.Phone, text.Phone)
	s.Mobile = text.Optional(c, "mobile", a.Mobile, s.Mobile, text.Phone)
	s.Email = text.Email(c, "email", a.Email, s.Email)
	s.Rank = text.Optional(c, "rank", a.Rank, s.Rank, text.Short)
	s.Ref = text.Optional(c, "ref", a.Ref, s.Ref, text.Ref)
	return s
}

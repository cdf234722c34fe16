// Package client contains the aggregate of a client: the other party of a deal, a
// company or a natural person.
package client

import (
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/domain/user"
)

// ID identifies a client. Zero is none.
type ID int64

// Type is the type of a client. The zero value is invalid. Its numbers are those
// of the API.
type Type uint8

// The types.
const (
	Company Type = 1 // a legal entity
	Person  Type = 2 // a natural person
)

// ParseType returns the type with number n; ok is false if there is none.
func ParseType(n int64) (t Type, ok bool) {
	t = Type(n)
	return t, n == int64(t) && (t == Company || t == Person)
}

// Foreign returns the names of the attributes of the other type. Clients of this
// type do not have them; a writer may send them without effect.
func (t Type) Foreign() []string {
	switch t {
	case Company:
		return []string{"person_details"}
	case Person:
		return []string{"company_address", "bank_details"}
	}
	return nil
}

// State is the stored state of a client. A missing text is empty.
type State struct {
	ID             ID
	Version        int64
	UserID         user.ID // the responsible user
	Type           Type
	Name           string
	Email          string
	Phone          string
	RealAddress    string
	Description    string
	CompanyAddress string // companies only
	BankDetails    string // companies only
	PersonDetails  string // persons only
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Ref            string    // the caller's own key, unique among clients
	ErasedOn       time.Time // when the personal data were erased; zero: they were not
}

// With returns the state with the valid ones of the attributes applied. Rules
// judge it before the aggregate validates the change, because a forbidden change
// takes precedence over an invalid one.
func (s State) With(a Attributes) State {
	if s.ID == 0 {
		s.Type = a.Type.Or(0)
	}
	return apply(new(fault.Collector), s, a)
}

// Client is the aggregate of a client.
type Client struct {
	state State
}

// Attributes are the writable attributes of a client. Absent means unchanged.
type Attributes struct {
	UserID         domain.Optional[user.ID]
	Type           domain.Optional[Type]
	Name           domain.Optional[string]
	Email          domain.Optional[string]
	Phone          domain.Optional[string]
	RealAddress    domain.Optional[string]
	Description    domain.Optional[string]
	CompanyAddress domain.Optional[string]
	BankDetails    domain.Optional[string]
	PersonDetails  domain.Optional[string]
	Ref            domain.Optional[string]
}

// New returns a new client whose responsible user is owner, unless the attributes
// name another one. Name and type are required. The error is a fault.Invalid that
// names every invalid field.
func New(owner user.ID, a Attributes, at time.Time) (*Client, error) {
	s := State{UserID: owner, CreatedAt: at, UpdatedAt: at}
	var c fault.Collector
	switch t, ok := a.Type.Get(); {
	case !ok:
		c.Coded(fault.Required, "type", "is required")
	case t != Company && t != Person:
		c.Add("type", "must be 1 or 2")
	default:
		s.Type = t
	}
	s = apply(&c, s, a)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &Client{state: s}, nil
}

// Restore returns a client with a stored state, without validation.
func Restore(s State) *Client { return &Client{state: s} }

// State returns a copy of the client's state.
func (cl *Client) State() State { return cl.state }

// Update sets the attributes that are present. The type is immutable, and
// attributes of the other type have no effect. UpdatedAt changes only if another
// attribute does, and never goes back.
func (cl *Client) Update(a Attributes, at time.Time) error {
	var c fault.Collector
	next := apply(&c, cl.state, a)
	if err := c.Err(); err != nil {
		return err
	}
	if next == cl.state {
		return nil
	}
	if at.Before(next.UpdatedAt) { // the clock was set back since, or a later request was served first
		at = next.UpdatedAt
	}
	next.UpdatedAt = at
	cl.state = next
	return nil
}

// Erased is the name of a client whose personal data were erased.
const Erased = "erased"

// Erase empties all texts but the ref. Erasing an erased client changes nothing.
func (cl *Client) Erase(at time.Time) {
	s := cl.state
	next := State{
		ID: s.ID, Version: s.Version, UserID: s.UserID, Type: s.Type, Name: Erased, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, Ref: s.Ref,
		ErasedOn: s.ErasedOn,
	}
	if next == s && !s.ErasedOn.IsZero() {
		return
	}
	next.ErasedOn = at
	if at.After(next.UpdatedAt) {
		next.UpdatedAt = at
	}
	cl.state = next
}

func apply(c *fault.Collector, s State, a Attributes) State {
	if id, ok := a.UserID.Get(); ok && id == 0 {
		c.Coded(fault.Required, "user", "must not be empty")
	} else if ok {
		s.UserID = id
	}
	s.Name = text.Required(c, "name", a.Name, s.Name, text.Short)
	s.Email = text.Email(c, "email", a.Email, s.Email)
	s.Phone = text.Optional(c, "phone", a.Phone, s.Phone, text.Phone)
	s.RealAddress = text.Optional(c, "real_address", a.RealAddress, s.RealAddress, text.Long)
	s.Description = text.Optional(c, "description", a.Description, s.Description, text.Long)
	s.Ref = text.Optional(c, "ref", a.Ref, s.Ref, text.Ref)
	switch s.Type {
	case Company:
		s.CompanyAddress = text.Optional(c, "company_address", a.CompanyAddress, s.CompanyAddress, text.Long)
		s.BankDetails = text.Optional(c, "bank_details", a.BankDetails, s.BankDetails, text.Long)
	case Person:
		s.PersonDetails = text.Optional(c, "person_details", a.PersonDetails, s.PersonDetails, text.Long)
	}
	return s
}

// Package performer contains the aggregate of a performer: one of the
// operator's own companies, which issues invoices. It also has the series of
// their numbers.
package performer

import (
	"math"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/text"
)

// ID identifies a performer. Zero is none.
type ID int64

// DefaultStatus is the status of a new performer unless its attributes have
// one.
const DefaultStatus = 1

// Terms are the terms on which a performer computes the amounts of invoices. An invoice stores a copy of them.
// Terms can be compared with ==.
type Terms struct {
	VATUse     bool
	VATPercent money.Percent
	InCents    bool // lines and VAT are rounded to the cent; otherwise they have all digits of an amount
}

// Round rounds a line or the VAT.
func (t Terms) Round(e money.Exact) money.Amount { return e.RoundTo(t.Digits()) }

// Digits is the number of fraction digits of a line and of the VAT.
func (t Terms) Digits() int32 {
	if t.InCents {
		return 2
	}
	return money.Digits
}

// State is the stored state of a performer. A missing text is empty.
type State struct {
	ID             ID
	Version        int64
	Status         int32 // a number of the company's own choosing
	Name           string
	CompanyName    string
	CompanyAddress string
	RealAddress    string
	BankDetails    string
	CompanyDetails string
	Leader         string
	LeaderRank     string
	Booker         string
	Phone          string
	Email          string
	Terms          Terms
	StampFile      string // this and the next three name files stored elsewhere
	LeaderSigFile  string
	BookerSigFile  string
	Logo           string
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Ref            string // the caller's own key, unique among performers
}

// With returns the state with the valid ones of the attributes applied.
func (s State) With(a Attributes) State { return apply(new(fault.Collector), s, a) }

// Performer is the aggregate of a performer.
type Performer struct {
	state State
}

// Attributes are the writable attributes of a performer. Absent means
// unchanged.
type Attributes struct {
	Status         domain.Optional[int64]
	Name           domain.Optional[string]
	CompanyName    domain.Optional[string]
	CompanyAddress domain.Optional[string]
	RealAddress    domain.Optional[string]
	BankDetails    domain.Optional[string]
	CompanyDetails domain.Optional[string]
	Leader         domain.Optional[string]
	LeaderRank     domain.Optional[string]
	Booker         domain.Optional[string]
	Phone          domain.Optional[string]
	Email          domain.Optional[string]
	VATUse         domain.Optional[bool]
	VATPercent     domain.Optional[money.Percent]
	StampFile      domain.Optional[string]
	LeaderSigFile  domain.Optional[string]
	BookerSigFile  domain.Optional[string]
	Logo           domain.Optional[string]
	Ref            domain.Optional[string]
}

// New returns a new performer; the name is required. By default it has
// DefaultStatus and charges no VAT.
func New(a Attributes, at time.Time) (*Performer, error) {
	var c fault.Collector
	s := apply(&c, State{Status: DefaultStatus, CreatedAt: at, UpdatedAt: at}, a)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &Performer{state: s}, nil
}

// Restore returns a performer with a stored state, without validation.
func Restore(s State) *Performer { return &Performer{state: s} }

// State returns a copy of the performer's state.
func (p *Performer) State() State { return p.state }

// Terms returns the present VAT terms.
func (p *Performer) Terms() Terms { return p.state.Terms }

// Update sets the attributes that are present. UpdatedAt changes only if
// another attribute does, and never goes back.
func (p *Performer) Update(a Attributes, at time.Time) error {
	var c fault.Collector
	next := apply(&c, p.state, a)
	if err := c.Err(); err != nil {
		return err
	}
	if next == p.state {
		return nil
	}
	if at.Before(next.UpdatedAt) { // the clock was set back since, or a later request was served first
		at = next.UpdatedAt
	}
	next.UpdatedAt = at
	p.state = next
	return nil
}

func apply(c *fault.Collector, s State, a Attributes) State {
	if n, ok := a.Status.Get(); ok {
		if n < math.MinInt32 || n > math.MaxInt32 {
			c.Coded(fault.OutOfRange, "status", "must be from %d to %d", math.MinInt32, math.MaxInt32)
		} else {
			s.Status = int32(n)
		}
	}
	s.Name = text.Required(c, "name", a.Name, s.Name, text.Short)
	s.CompanyName = text.Optional(c, "company_name", a.CompanyName, s.CompanyName, text.Short)
	s.CompanyAddress = text.Optional(c, "company_address", a.CompanyAddress, s.CompanyAddress, text.Long)
	s.RealAddress = text.Optional(c, "real_address", a.RealAddress, s.RealAddress, text.Long)
	s.BankDetails = text.Optional(c, "bank_details", a.BankDetails, s.BankDetails, text.Long)
	s.CompanyDetails = text.Optional(c, "company_details", a.CompanyDetails, s.CompanyDetails, text.Long)
	s.Leader = text.Optional(c, "leader", a.Leader, s.Leader, text.Short)
	s.LeaderRank = text.Optional(c, "leader_rank", a.LeaderRank, s.LeaderRank, text.Short)
	s.Booker = text.Optional(c, "booker", a.Booker, s.Booker, text.Short)
	s.Phone = text.Optional(c, "phone", a.Phone, s.Phone, text.Phone)
	s.Email = text.Email(c, "email", a.Email, s.Email)
	s.Terms.VATUse = a.VATUse.Or(s.Terms.VATUse)
	s.Terms.VATPercent = a.VATPercent.Or(s.Terms.VATPercent)
	s.StampFile = text.Optional(c, "stamp_file", a.StampFile, s.StampFile, text.Short)
	s.LeaderSigFile = text.Optional(c, "leader_sig_file", a.LeaderSigFile, s.LeaderSigFile, text.Short)
	s.BookerSigFile = text.Optional(c, "booker_sig_file", a.BookerSigFile, s.BookerSigFile, text.Short)
	s.Logo = text.Optional(c, "logo", a.Logo, s.Logo, text.Short)
	s.Ref = text.Optional(c, "ref", a.Ref, s.Ref, text.Ref)
	return s
}

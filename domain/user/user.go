// Package user contains the users of Kontor and their roles.
package user

import (
	"strings"
	"time"
	"unicode"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// ID identifies a user. Zero is none.
type ID int64

// Role decides what a user may do. The zero value is invalid.
type Role uint8

// The roles, each with fewer rights than the one before.
const (
	Admin   Role = iota + 1 // everything
	Manager                 // reads all; writes clients, contacts, deals and what hangs on them
	Viewer                  // reads
)

var roleNames = map[Role]string{Admin: "admin", Manager: "manager", Viewer: "viewer"}

// String returns the role's name, as accepted by ParseRole.
func (r Role) String() string { return roleNames[r] }

// ParseRole returns the role with the name, or a fault.Invalid that lists the
// names.
func ParseRole(s string) (Role, error) {
	for r, name := range roleNames {
		if name == s {
			return r, nil
		}
	}
	return 0, fault.ForField(fault.Invalid, "role", "must be admin, manager or viewer")
}

// State is the stored state of a user.
type State struct {
	ID        ID
	Version   int64
	Username  string // unique, ignoring case
	FirstName string
	LastName  string
	Email     string
	Role      Role
	Disabled  bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Name returns the first and last name, or the username if both are empty.
func (s State) Name() string {
	if name := strings.TrimSpace(s.FirstName + " " + s.LastName); name != "" {
		return name
	}
	return s.Username
}

// User is the aggregate of a user: a person or a program.
type User struct {
	state State
}

// Attributes are the attributes of a new user. Absent means the default.
type Attributes struct {
	Username  domain.Optional[string]
	FirstName domain.Optional[string]
	LastName  domain.Optional[string]
	Email     domain.Optional[string]
	Role      domain.Optional[Role]
}

// New returns a new user. The username is required; the default role is
// Manager.
func New(a Attributes, at time.Time) (*User, error) {
	var c fault.Collector
	s := State{
		Username:  text.Required(&c, "username", a.Username, "", text.Short),
		FirstName: text.Optional(&c, "fname", a.FirstName, "", text.Short),
		LastName:  text.Optional(&c, "lname", a.LastName, "", text.Short),
		Email:     text.Email(&c, "email", a.Email, ""),
		Role:      a.Role.Or(Manager),
		CreatedAt: at,
		UpdatedAt: at,
	}
	if strings.ContainsFunc(s.Username, func(r rune) bool { return r == ':' || unicode.IsSpace(r) }) {
		c.Add("username", "must not hold blanks or colons")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &User{state: s}, nil
}

// Restore returns a user with a stored state, without validation.
func Restore(s State) *User { return &User{state: s} }

// State returns a copy of the user's state.
func (u *User) State() State { return u.state }

// Disable disables the user, whose tokens are then rejected. It has no effect
// on a disabled user.
func (u *User) Disable(at time.Time) { u.change(func(s *State) { s.Disabled = true }, at) }

// Enable enables a disabled user again.
func (u *User) Enable(at time.Time) { u.change(func(s *State) { s.Disabled = false }, at) }

// Assign sets the role.
func (u *User) Assign(r Role, at time.Time) { u.change(func(s *State) { s.Role = r }, at) }

func (u *User) change(f func(*State), at time.Time) {
	next := u.state
	f(&next)
	if next == u.state {
		return
	}
	if at.Before(next.UpdatedAt) { // the clock was set back since, or a later request was served first
		at = next.UpdatedAt
	}
	next.UpdatedAt = at
	u.state = next
}

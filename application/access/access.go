// Package access contains authentication and permissions.
package access

import (
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
)

// Actor is the user on whose behalf a request runs, with the token that
// authenticates it, or an operator at the command line, who is no user and has no role.
type Actor struct {
	UserID     user.ID
	Role       user.Role
	TokenID    token.ID // zero: no token was needed
	IsOperator bool
	Scopes     token.Scopes // of the token
}

// Area is a part of the data with permissions of its own.
type Area uint8

// The areas.
const (
	Business       Area = iota + 1 // clients, contacts, deals, their documents, invoices
	Reference                      // the reference lists and the performers
	Rules                          // the business rules
	Administration                 // access tokens, which only those who may write them read, and the erasure of persons
)

// MayWrite returns nil if the actor may create, update and delete records of
// the area, else a fault.Forbidden. An operator may do everything.
func (a Actor) MayWrite(area Area) error {
	switch {
	case a.IsOperator, a.Role == user.Admin:
		return nil
	case a.Role == user.Manager && area == Business:
		return nil
	}
	return fault.New(fault.Forbidden, "the role %s may not write here", a.Role)
}

// MayRead returns nil if the actor may read the records of the area, else a fault.Forbidden.
func (a Actor) MayRead(area Area) error {
	if area == Administration && a.MayWrite(area) != nil {
		return fault.New(fault.Forbidden, "the role %s may not read here", a.Role)
	}
	return nil
}

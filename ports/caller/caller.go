// Package caller identifies the caller of a request, for limits that keep one caller from
// using up what all callers share.
//
// Chose: the token over its user. Because: programs have tokens of their own. Costs: a user with
// several tokens has several shares.
//
// Chose: the caller is passed in the context. Because: slow queries are limited far below the
// handler. Costs: a value of the request that no signature shows.
package caller

import (
	"context"
	"net/netip"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// Key identifies a caller: by the valid token of the request, or else by its address. The
// zero value stands for all callers without either. Keys can be compared with ==.
type Key struct {
	Tenant  tenant.Code // of the token: companies count theirs from 1
	Token   token.ID
	Address netip.Prefix // unset if there is a token
}

// ContextKey is the context key of a Key.
type ContextKey struct{}

// With returns a context with the caller.
func With(ctx context.Context, k Key) context.Context {
	return context.WithValue(ctx, ContextKey{}, k)
}

// From returns the caller in the context; the zero Key if there is none.
func From(ctx context.Context) Key {
	k, _ := ctx.Value(ContextKey{}).(Key)
	return k
}

// Share is the percentage of a shared limit, such as that of in-flight requests, that one
// caller may hold. The zero value is 100 percent.
type Share int

// Of returns the share of a limit, at least 1.
func (s Share) Of(limit int) int {
	if s == 0 {
		return limit
	}
	return max(limit*int(s)/100, 1)
}

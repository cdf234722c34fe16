// Package caller identifies on whose behalf a request runs, for limits that keep one caller
// from taking what all share.
//
// Chose the token over its user, because programs have tokens of their own; costs that a
// user with several tokens has several shares. Chose to pass it in the context, because what
// is shared lies far below the handler.
package caller

import (
	"context"
	"net/netip"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/company"
)

// Key identifies a caller: the valid token of the request, or else the address that it came
// from. The zero value stands for all that have neither. Keys are comparable.
type Key struct {
	Company company.Code // of the token: companies count theirs from 1
	Token   token.ID
	Address netip.Prefix // unset if there is a token
}

// ContextKey is the context key of a Key.
type ContextKey struct{}

// With is the context with the caller.
func With(ctx context.Context, k Key) context.Context {
	return context.WithValue(ctx, ContextKey{}, k)
}

// From is the caller of the context's request; the zero Key if there is none.
func From(ctx context.Context) Key {
	k, _ := ctx.Value(ContextKey{}).(Key)
	return k
}

// Share is how many percent of what all callers share one of them may hold, such as slots
// and memory. The zero value is all of it.
type Share int

// Of is the caller's part of the limit: at least 1.
func (s Share) Of(limit int64) int64 {
	if s == 0 {
		return limit
	}
	return max(limit/100*int64(s)+limit%100*int64(s)/100, 1)
}

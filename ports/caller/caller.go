// Package caller identifies on whose behalf a request runs, for limits that keep one caller
// from taking what all share.
//
// Chose the token over its user, because programs have tokens of their own; costs that a
// user with several tokens has several shares. Chose to pass it in the context, because what
// is shared lies far below the handler.
package caller

import (
	"context"
	"math"
	"net/netip"
	"sync/atomic"

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

// Group is all callers of one company. Those without a valid token are a group of their own:
// while tokens are looked up, none of a company takes another one's place.
type Group struct {
	company  company.Code
	hasToken bool
}

// Group is the group of the caller.
func (k Key) Group() Group { return Group{k.Company, k.Token != 0} }

// Companies limits what a group may hold of what all share. The zero value is ready to use.
//
// Chose as much as the group leaves free over a fixed share, because there is then something
// left for one company more, however many are busy: one may hold a half, two a third each.
// Costs that a company that is busy alone cannot use all. The default one can, in a process
// that has had no request of another company.
type Companies struct{ several atomic.Bool }

// Limit is how much the caller's group may hold if so much is free then.
func (c *Companies) Limit(of Key, free int64) int64 {
	if of.Company != "" && !c.several.Load() {
		c.several.Store(true)
	}
	if !c.several.Load() {
		return math.MaxInt64
	}
	return free
}

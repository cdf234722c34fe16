// Package caller identifies the caller of a request, for limits that keep one caller from
// using up what all callers share.
//
// Chose the token over its user, because programs have tokens of their own; costs that a
// user with several tokens has several shares. Chose to pass it in the context, because the
// shared resources are used far below the handler.
package caller

import (
	"context"
	"math"
	"net/netip"
	"sync/atomic"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/company"
)

// Key identifies a caller: by the valid token of the request, or else by its address. The
// zero value stands for all callers without either. Keys can be compared with ==.
type Key struct {
	Company company.Code // of the token: companies count theirs from 1
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

// Share is the percentage of a shared limit, such as in-flight requests or memory, that one
// caller may hold. The zero value is 100 percent.
type Share int

// Of returns the share of a limit, at least 1.
func (s Share) Of(limit int64) int64 {
	if s == 0 {
		return limit
	}
	return max(limit/100*int64(s)+limit%100*int64(s)/100, 1)
}

// Group stands for all callers of one company. Callers without a valid token are a group of
// their own, so that token lookups do not compete with authenticated requests.
type Group struct {
	company  company.Code
	hasToken bool
}

// Group returns the group of the caller.
func (k Key) Group() Group { return Group{k.Company, k.Token != 0} }

// Companies limits how much of a shared limit one group may hold. The zero value is ready to
// use.
//
// Chose "as much as is free" over a fixed share, because one more company then always finds
// something free: one busy company may hold a half, two a third each. Costs that a single
// busy company cannot use everything. The default company can, in a process that has had no
// request of another one.
type Companies struct{ several atomic.Bool }

// Limit returns how much the caller's group may hold, given how much would be free.
func (c *Companies) Limit(of Key, free int64) int64 {
	if of.Company != "" && !c.several.Load() {
		c.several.Store(true)
	}
	if !c.several.Load() {
		return math.MaxInt64
	}
	return free
}

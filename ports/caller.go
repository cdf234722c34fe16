package ports

import (
	"context"
	"net/netip"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// Caller identifies who sent a request, by its valid token, or else by its address, for limits
// that keep one caller from using up what all callers share. The zero value stands for all
// callers without either. Callers can be compared with ==.
//
// Chose: the token over its user. Because: programs have tokens of their own. Costs: a user with
// several tokens has several shares.
//
// Chose: the caller is passed in the context. Because: slow queries are limited far below the
// handler. Costs: a value of the request that no signature shows.
type Caller struct {
	Tenant  tenant.Code // of the token: companies count theirs from 1
	Token   token.ID
	Address netip.Prefix // unset if there is a token
}

// CallerKey is the context key of a Caller.
type CallerKey struct{}

// WithCaller returns a context with the caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, CallerKey{}, c)
}

// CallerFrom returns the caller in the context; the zero Caller if there is none.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(CallerKey{}).(Caller)
	return c
}

// CallerShare is the percentage of a shared limit, such as that of in-flight requests, that one
// caller may hold. The zero value is 100 percent.
type CallerShare int

// Of returns the share of a limit, at least 1.
func (s CallerShare) Of(limit int) int {
	if s == 0 {
		return limit
	}
	return max(limit*int(s)/100, 1)
}

package access

import (
	"context"
	"crypto/subtle"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

const (
	// rememberFor bounds how late a revocation, a new role or a disabled user
	// is noticed.
	rememberFor = 2 * time.Second
	// touchEvery is the precision of the last use of a token.
	touchEvery = time.Minute
)

// Authenticator authenticates tokens. It is safe for concurrent use.
//
// It caches existing tokens by their public id for two seconds, whether they are valid or not.
//
// Chose: a cache by the public id over one by a hash of the whole token, and of existing tokens
// only. Because: any number of guesses with one public id then cost one query, and guesses evict no
// valid token. Costs: a query for each guess with an unknown public id, which AuthenticateIssued
// avoids.
type Authenticator struct {
	grants repository.Grants
	minter ports.TokenMinter
	clock  ports.Clock
	cache  *grantCache
	issued issuedTokens
}

// NewAuthenticator returns an Authenticator.
func NewAuthenticator(grants repository.Grants, minter ports.TokenMinter, clock ports.Clock) *Authenticator {
	return &Authenticator{
		grants: grants, minter: minter, clock: clock, cache: newGrantCache(), issued: issuedTokens{grants: grants, clock: clock},
	}
}

// errToken does not say which of these it is.
var errToken = fault.New(fault.Unauthenticated, "the token is unknown, expired or revoked")

// AuthenticateCached returns the actor of a token that is valid by an entry of the cache not
// older than two seconds. It runs no query.
func (a *Authenticator) AuthenticateCached(raw string) (Actor, bool) {
	s, ok := a.minter.Read(raw)
	if !ok {
		return Actor{}, false
	}
	grant, ok := a.cache.get(s.PublicID, a.clock.Elapsed())
	if !ok {
		return Actor{}, false
	}
	actor, err := accept(grant, s, a.clock.Now())
	return actor, err == nil
}

// Identify returns the id of a token that is still in the cache, even if the entry is too old
// for AuthenticateCached; the token may have become invalid since. It runs no query.
func (a *Authenticator) Identify(raw string) (token.ID, bool) {
	s, ok := a.minter.Read(raw)
	if !ok {
		return 0, false
	}
	t, ok := a.cache.token(s.PublicID)
	return t.ID, ok && hasSecret(t, s)
}

// Authenticate returns the actor of the token and records the use of the token, to the minute.
// A token that is unknown, expired, revoked or of a disabled user is a fault.Unauthenticated;
// any other error says nothing about the token.
func (a *Authenticator) Authenticate(ctx context.Context, raw string) (Actor, error) {
	s, ok := a.minter.Read(raw)
	if !ok {
		return Actor{}, errToken
	}
	return a.authenticate(ctx, s)
}

// AuthenticateIssued is like Authenticate, but runs no query for a token whose public id does
// not exist. It rejects a new token for up to two seconds.
func (a *Authenticator) AuthenticateIssued(ctx context.Context, raw string) (Actor, error) {
	s, ok := a.minter.Read(raw)
	if !ok {
		return Actor{}, errToken
	}
	if _, cached := a.cache.get(s.PublicID, a.clock.Elapsed()); !cached {
		issued, err := a.issued.has(ctx, s.PublicID)
		if err != nil {
			return Actor{}, err
		}
		if !issued {
			return Actor{}, errToken
		}
	}
	return a.authenticate(ctx, s)
}

func (a *Authenticator) authenticate(ctx context.Context, s ports.Secret) (Actor, error) {
	now := a.clock.Now()
	grant, err := a.find(ctx, s.PublicID)
	if err != nil {
		return Actor{}, err
	}
	actor, err := accept(grant, s, now)
	if err != nil {
		return Actor{}, err
	}
	if a.cache.mustRecordUse(grant.Token, now) {
		// Recording the use is worth no failed request.
		_ = a.grants.Touch(ctx, grant.Token.ID, now)
	}
	return actor, nil
}

func (a *Authenticator) find(ctx context.Context, publicID string) (repository.Grant, error) {
	elapsed := a.clock.Elapsed()
	if grant, ok := a.cache.get(publicID, elapsed); ok {
		return grant, nil
	}
	grant, err := a.grants.Find(ctx, publicID)
	if fault.Is(err, fault.NotFound) {
		return repository.Grant{}, errToken
	}
	if err != nil {
		return repository.Grant{}, err
	}
	a.cache.put(grant, elapsed)
	return grant, nil
}

// accept returns the actor of the grant, if the secret is that of its token and the token is
// valid.
func accept(grant repository.Grant, s ports.Secret, now time.Time) (Actor, error) {
	t := grant.Token
	if !hasSecret(t, s) || !token.Restore(t).Usable(now) || grant.Disabled {
		return Actor{}, errToken
	}
	return Actor{UserID: t.UserID, Role: grant.Role, TokenID: t.ID, Scopes: t.Scopes}, nil
}

func hasSecret(t token.State, s ports.Secret) bool {
	return subtle.ConstantTimeCompare(t.Hash[:], s.Hash[:]) == 1
}

package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"sync"
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
	// rememberAtMost bounds the memory that unknown tokens can take.
	rememberAtMost = 10_000
	// touchEvery is how precisely the last use of a token is kept.
	touchEvery = time.Minute
	// latelyFor is how long ago a token may have been used last to be taken for one
	// that is in use: a program that runs each night is known in the next one.
	latelyFor = 24*time.Hour + touchEvery
)

// Authenticator tells who is behind a token.
type Authenticator struct {
	grants repository.Grants
	minter ports.TokenMinter
	clock  ports.Clock

	mu    sync.Mutex
	known map[[32]byte]verdict
}

// verdict is what a token was last found to be.
type verdict struct {
	actor   Actor
	valid   bool
	used    time.Time     // for the last time before, if it is valid; zero: never
	expires time.Time     // of the token; zero: never
	found   time.Duration // when, by the clock that nobody can set
}

// NewAuthenticator makes an Authenticator. It remembers what it finds for two
// seconds, by the hash of the token.
func NewAuthenticator(grants repository.Grants, minter ports.TokenMinter, clock ports.Clock) *Authenticator {
	return &Authenticator{grants: grants, minter: minter, clock: clock, known: map[[32]byte]verdict{}}
}

// Authenticate is the actor behind the token. A token that is unknown, expired,
// revoked or of a disabled user is a fault.Unauthenticated; which of these it
// is is not told.
//
// A token that is not good, or was not used within a day, is doubted: what doubt
// ends with, if it is an error, is the answer, whether the token is good or not.
func (a *Authenticator) Authenticate(ctx context.Context, raw string, doubt func() error) (Actor, error) {
	now, elapsed := a.clock.Now(), a.clock.Elapsed()
	hash := sha256.Sum256([]byte(raw))
	v, ok := a.recall(hash, elapsed)
	if !ok {
		var err error
		if v, err = a.look(ctx, raw, now); err != nil {
			return Actor{}, err
		}
		v.found = elapsed
		a.remember(hash, v)
	}
	idle := now.Sub(v.used).Abs() // a use that is still to come was before the clock was set back
	if !v.valid || idle >= latelyFor {
		if err := doubt(); err != nil {
			return Actor{}, err
		}
	}
	if !v.valid || !v.expires.IsZero() && !now.Before(v.expires) {
		return Actor{}, fault.New(fault.Unauthenticated, "the token is unknown, expired or revoked")
	}
	if !ok && idle >= touchEvery {
		// That a token was used is worth no failed request.
		_ = a.grants.Touch(ctx, v.actor.TokenID, now)
		v.used = now
		a.remember(hash, v)
	}
	return v.actor, nil
}

func (a *Authenticator) look(ctx context.Context, raw string, now time.Time) (verdict, error) {
	var v verdict
	s, ok := a.minter.Read(raw)
	if !ok {
		return v, nil
	}
	grant, err := a.grants.Find(ctx, s.PublicID)
	if fault.Is(err, fault.NotFound) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	t := token.Restore(grant.Token)
	if subtle.ConstantTimeCompare(grant.Token.Hash[:], s.Hash[:]) != 1 || !t.Usable(now) || grant.Disabled {
		return v, nil
	}
	v.valid, v.used, v.expires = true, grant.Token.LastUsedAt, grant.Token.ExpiresAt
	v.actor = Actor{UserID: grant.Token.UserID, Role: grant.Role, TokenID: grant.Token.ID}
	return v, nil
}

func (a *Authenticator) recall(hash [32]byte, elapsed time.Duration) (verdict, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if v, ok := a.known[hash]; ok && elapsed-v.found < rememberFor {
		return v, true
	}
	return verdict{}, false
}

func (a *Authenticator) remember(hash [32]byte, v verdict) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= rememberAtMost {
		clear(a.known)
	}
	a.known[hash] = v
}

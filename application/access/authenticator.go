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
	expires time.Time // of the token; zero: never
	until   time.Time // how long the verdict may be trusted
}

// NewAuthenticator makes an Authenticator. It remembers what it finds for two
// seconds, by the hash of the token.
func NewAuthenticator(grants repository.Grants, minter ports.TokenMinter, clock ports.Clock) *Authenticator {
	return &Authenticator{grants: grants, minter: minter, clock: clock, known: map[[32]byte]verdict{}}
}

// Authenticate is the actor behind the token. A token that is unknown, expired,
// revoked or of a disabled user is a fault.Unauthenticated; which of these it
// is is not told.
func (a *Authenticator) Authenticate(ctx context.Context, raw string) (Actor, error) {
	now := a.clock.Now()
	hash := sha256.Sum256([]byte(raw))
	v, ok := a.recall(hash, now)
	if !ok {
		var err error
		if v, err = a.look(ctx, raw, now); err != nil {
			return Actor{}, err
		}
		a.remember(hash, v)
	}
	if !v.valid || !v.expires.IsZero() && !now.Before(v.expires) {
		return Actor{}, fault.New(fault.Unauthenticated, "the token is unknown, expired or revoked")
	}
	return v.actor, nil
}

func (a *Authenticator) look(ctx context.Context, raw string, now time.Time) (verdict, error) {
	v := verdict{until: now.Add(rememberFor)}
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
	v.valid = true
	v.expires = grant.Token.ExpiresAt
	v.actor = Actor{UserID: grant.Token.UserID, Role: grant.Role, TokenID: grant.Token.ID}
	if now.Sub(grant.Token.LastUsedAt) >= touchEvery {
		// That a token was used is worth no failed request.
		_ = a.grants.Touch(ctx, grant.Token.ID, now)
	}
	return v, nil
}

func (a *Authenticator) recall(hash [32]byte, now time.Time) (verdict, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, ok := a.known[hash]
	return v, ok && now.Before(v.until)
}

func (a *Authenticator) remember(hash [32]byte, v verdict) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= rememberAtMost {
		clear(a.known)
	}
	a.known[hash] = v
}

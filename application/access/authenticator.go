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
	// touchEvery is the precision of the last use of a token.
	touchEvery = time.Minute
	// recentlyFor is how long ago a token may have been used last to count as in use:
	// that of a program that runs each night still does in the next one.
	recentlyFor = 24*time.Hour + touchEvery
)

// Authenticator finds the user behind a token.
type Authenticator struct {
	grants repository.Grants
	minter ports.TokenMinter
	clock  ports.Clock

	mu    sync.Mutex
	known map[[32]byte]finding
}

// finding is what a token was last found to be.
type finding struct {
	actor   Actor
	valid   bool
	used    time.Time     // for the last time before, if it is valid; zero: never
	expires time.Time     // of the token; zero: never
	found   time.Duration // when, by the monotonic clock
}

// validAt reports whether the token was valid, and has not expired by then.
func (f finding) validAt(at time.Time) bool {
	return f.valid && (f.expires.IsZero() || at.Before(f.expires))
}

// NewAuthenticator makes an Authenticator. It remembers what it finds for two
// seconds, by the hash of the token.
func NewAuthenticator(grants repository.Grants, minter ports.TokenMinter, clock ports.Clock) *Authenticator {
	return &Authenticator{grants: grants, minter: minter, clock: clock, known: map[[32]byte]finding{}}
}

// Recall is the actor behind a token that was found valid within the last two seconds. It
// costs no query.
func (a *Authenticator) Recall(raw string) (Actor, bool) {
	f, ok := a.recall(sha256.Sum256([]byte(raw)), a.clock.Elapsed())
	if !ok || !f.validAt(a.clock.Now()) {
		return Actor{}, false
	}
	return f.actor, true
}

// Verdict is what a token was found to be. Accept turns it into an Actor.
type Verdict struct {
	// InUse reports whether the token was valid when it was last looked up and had
	// been used within a day.
	InUse bool

	finding
	hash   [32]byte
	at     time.Time
	idle   time.Duration // since the last use
	looked bool          // the token was looked up for this verdict
}

// Verify looks the token up. An error says nothing of the token.
func (a *Authenticator) Verify(ctx context.Context, raw string) (Verdict, error) {
	v := Verdict{hash: sha256.Sum256([]byte(raw)), at: a.clock.Now()}
	elapsed := a.clock.Elapsed()
	f, ok := a.recall(v.hash, elapsed)
	if !ok {
		var err error
		if f, err = a.look(ctx, raw, v.at); err != nil {
			return Verdict{}, err
		}
		f.found = elapsed
		a.remember(v.hash, f)
	}
	v.finding, v.looked = f, !ok
	v.idle = v.at.Sub(f.used).Abs() // a use in the future was before the clock was set back
	v.InUse = f.valid && v.idle < recentlyFor
	return v, nil
}

// Accept is the actor behind the token of the verdict, which counts as used. A token
// that is unknown, expired, revoked or of a disabled user is a
// fault.Unauthenticated; which of these is not disclosed.
func (a *Authenticator) Accept(ctx context.Context, v Verdict) (Actor, error) {
	if !v.validAt(v.at) {
		return Actor{}, fault.New(fault.Unauthenticated, "the token is unknown, expired or revoked")
	}
	if v.looked && v.idle >= touchEvery {
		// Recording the use is worth no failed request.
		_ = a.grants.Touch(ctx, v.actor.TokenID, v.at)
		v.used = v.at
		a.remember(v.hash, v.finding)
	}
	return v.actor, nil
}

func (a *Authenticator) look(ctx context.Context, raw string, now time.Time) (finding, error) {
	var f finding
	s, ok := a.minter.Read(raw)
	if !ok {
		return f, nil
	}
	grant, err := a.grants.Find(ctx, s.PublicID)
	if fault.Is(err, fault.NotFound) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	t := token.Restore(grant.Token)
	if subtle.ConstantTimeCompare(grant.Token.Hash[:], s.Hash[:]) != 1 || !t.Usable(now) || grant.Disabled {
		return f, nil
	}
	f.valid, f.used, f.expires = true, grant.Token.LastUsedAt, grant.Token.ExpiresAt
	f.actor = Actor{UserID: grant.Token.UserID, Role: grant.Role, TokenID: grant.Token.ID}
	return f, nil
}

func (a *Authenticator) recall(hash [32]byte, elapsed time.Duration) (finding, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f, ok := a.known[hash]; ok && elapsed-f.found < rememberFor {
		return f, true
	}
	return finding{}, false
}

func (a *Authenticator) remember(hash [32]byte, f finding) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= rememberAtMost {
		clear(a.known)
	}
	a.known[hash] = f
}

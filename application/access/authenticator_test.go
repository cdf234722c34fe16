package access

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// manualClock is a clock that the test moves.
type manualClock struct {
	at      time.Time
	elapsed time.Duration
}

func (c *manualClock) Now() time.Time { return c.at }

func (c *manualClock) Elapsed() time.Duration { return c.elapsed }

func (c *manualClock) pass(d time.Duration) {
	c.set(d)
	c.elapsed += d
}

// set sets the clock forward, or back.
func (c *manualClock) set(by time.Duration) { c.at = c.at.Add(by) }

// plain reads tokens that look like id.secret, and hashes a secret to itself.
type plain struct{}

func (plain) Mint() (ports.Secret, error) {
	return ports.Secret{}, errors.New("nothing is minted here")
}

func (plain) Read(raw string) (s ports.Secret, ok bool) {
	id, secret, ok := strings.Cut(raw, ".")
	s.PublicID = id
	copy(s.Hash[:], secret)
	return s, ok
}

// grantStore is the grants by public id.
type grantStore struct {
	grants  map[string]repository.Grant
	down    error // the error of every call, unless nil
	queries int
	touched map[token.ID][]time.Time
}

func (b *grantStore) Find(_ context.Context, publicID string) (repository.Grant, error) {
	b.queries++
	g, ok := b.grants[publicID]
	switch {
	case b.down != nil:
		return repository.Grant{}, b.down
	case !ok:
		return repository.Grant{}, fault.New(fault.NotFound, "there is no such token")
	}
	return g, nil
}

func (b *grantStore) PublicIDs(ctx context.Context, at time.Time, _ int) ([]string, error) {
	b.queries++
	var ids []string
	for id, g := range b.grants {
		if token.Restore(g.Token).Usable(at) {
			ids = append(ids, id)
		}
	}
	return ids, errors.Join(b.down, ctx.Err())
}

func (b *grantStore) Touch(_ context.Context, id token.ID, at time.Time) error {
	b.touched[id] = append(b.touched[id], at)
	return b.down
}

// revise changes the grant of the token mine.good.
func (b *grantStore) revise(change func(*repository.Grant)) {
	g := b.grants["mine"]
	change(&g)
	b.grants["mine"] = g
}

// begin is an authenticator that knows the token mine.good, which belongs to the
// manager 7 and lives for an hour.
func begin() (*Authenticator, *grantStore, *manualClock) {
	clock := &manualClock{at: time.Date(2024, 3, 4, 9, 0, 0, 0, time.UTC)}
	s := token.State{ID: 1, UserID: 7, PublicID: "mine", CreatedAt: clock.at, ExpiresAt: clock.at.Add(time.Hour)}
	copy(s.Hash[:], "good")
	grants := &grantStore{
		grants:  map[string]repository.Grant{"mine": {Token: s, Role: user.Manager}},
		touched: map[token.ID][]time.Time{},
	}
	return NewAuthenticator(grants, plain{}, clock), grants, clock
}

func recognised(t *testing.T, a *Authenticator, want Actor) {
	t.Helper()
	const raw = "mine.good"
	got, err := a.Authenticate(t.Context(), raw)
	if err != nil || got != want {
		t.Errorf("%s is %+v, %v; want %+v", raw, got, err, want)
	}
}

func unrecognised(t *testing.T, a *Authenticator, raw string) {
	t.Helper()
	got, err := a.Authenticate(t.Context(), raw)
	if !fault.Is(err, fault.Unauthenticated) || got != (Actor{}) {
		t.Errorf("%s is %+v, %v; want no user and a rejection: %s", raw, got, err, fault.Unauthenticated)
	}
}

var manager = Actor{UserID: 7, Role: user.Manager, TokenID: 1}

// contract 3.10
func TestTokenIsAcceptedOnlyWhole(t *testing.T) {
	a, _, _ := begin()
	recognised(t, a, manager)
	for _, raw := range []string{"mine.bad", "mine.", "mine", "yours.good", "", "mine.good.", "MINE.good"} {
		unrecognised(t, a, raw)
		unrecognised(t, a, raw) // out of memory, too
	}
	recognised(t, a, manager)
}

// contract 3.10: from the instant at which it expires, even if it was
// recognised a moment ago.
func TestTokenExpiresOnTheInstant(t *testing.T) {
	a, _, clock := begin()
	clock.pass(time.Hour - time.Microsecond)
	recognised(t, a, manager)
	clock.pass(time.Microsecond)
	unrecognised(t, a, "mine.good")
}

// contract 5.8
func TestTokenWithoutExpiryIsValidForever(t *testing.T) {
	a, grants, clock := begin()
	grants.revise(func(g *repository.Grant) { g.Token.ExpiresAt = time.Time{} })
	clock.pass(100 * 365 * 24 * time.Hour)
	recognised(t, a, manager)
}

// contract 5.10, 5.11
func TestTokenChangesAreNoticedAfterTwoSeconds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*repository.Grant)
		after  func(t *testing.T, a *Authenticator)
	}{
		"revoked": {
			func(g *repository.Grant) { g.Token.RevokedAt = g.Token.CreatedAt },
			func(t *testing.T, a *Authenticator) { t.Helper(); unrecognised(t, a, "mine.good") },
		},
		"its user disabled": { // contract 5.5
			func(g *repository.Grant) { g.Disabled = true },
			func(t *testing.T, a *Authenticator) { t.Helper(); unrecognised(t, a, "mine.good") },
		},
		"its user in another role": {
			func(g *repository.Grant) { g.Role = user.Viewer },
			func(t *testing.T, a *Authenticator) {
				t.Helper()
				recognised(t, a, Actor{UserID: 7, Role: user.Viewer, TokenID: 1})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, grants, clock := begin()
			recognised(t, a, manager)
			grants.revise(c.change)
			clock.pass(2*time.Second - time.Microsecond)
			recognised(t, a, manager)
			clock.pass(time.Microsecond)
			c.after(t, a)
		})
	}
}

// contract 4.91, 5.10, 5.11
func TestTokenChangesAreNoticedWhateverTheClockIsSetTo(t *testing.T) {
	for name, by := range map[string]time.Duration{
		"an hour back": -time.Hour, "a day back": -24 * time.Hour, "10 years back": -10 * 365 * 24 * time.Hour, "a day forward": 24 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			a, grants, clock := begin()
			grants.revise(func(g *repository.Grant) { g.Token.ExpiresAt = time.Time{} })
			recognised(t, a, manager)
			grants.revise(func(g *repository.Grant) { g.Token.RevokedAt = clock.at })
			clock.set(by)
			clock.pass(2*time.Second - time.Microsecond)
			recognised(t, a, manager)
			clock.pass(time.Microsecond)
			unrecognised(t, a, "mine.good")
		})
	}
}

// contract 4.91, 5.10: a program that calls once an hour meets the hour that comes
// again.
func TestTokenFindingIsNotReusedAfterTheClockIsSetBack(t *testing.T) {
	a, grants, clock := begin()
	grants.revise(func(g *repository.Grant) { g.Token.ExpiresAt = time.Time{} })
	recognised(t, a, manager)
	clock.pass(30 * time.Minute)
	grants.revise(func(g *repository.Grant) { g.Token.RevokedAt = clock.at })
	clock.set(-time.Hour)
	clock.pass(30*time.Minute + time.Second)
	unrecognised(t, a, "mine.good")
}

// contract 4.91: it goes by the clock, there and back.
func TestTokenExpiryFollowsTheClockBothWays(t *testing.T) {
	a, _, clock := begin()
	recognised(t, a, manager)
	clock.set(24 * time.Hour)
	unrecognised(t, a, "mine.good")
	clock.pass(2 * time.Second)
	unrecognised(t, a, "mine.good")
	clock.set(-24 * time.Hour)
	clock.pass(2 * time.Second)
	recognised(t, a, manager)
}

// contract 4.91, 5.9
func TestTokenLastUseInTheFutureIsReplaced(t *testing.T) {
	a, grants, clock := begin()
	grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt = clock.at.AddDate(10, 0, 0) })
	recognised(t, a, manager)
	if got := grants.touched[1]; len(got) != 1 || !got[0].Equal(clock.at) {
		t.Errorf("recorded at %v, want %v", got, clock.at)
	}
	grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt = clock.at.Add(2*time.Second + 59*time.Second) })
	clock.pass(2 * time.Second) // another process's clock is a little ahead
	recognised(t, a, manager)
	if got := grants.touched[1]; len(got) != 1 {
		t.Errorf("recorded at %v, want once", got)
	}
}

func TestNewTokenIsNoticedAtOnce(t *testing.T) {
	a, grants, _ := begin()
	g := grants.grants["mine"]
	delete(grants.grants, "mine")
	unrecognised(t, a, "mine.good")
	grants.grants["mine"] = g
	recognised(t, a, manager)
}

// contract 3.22, 3.23
func TestTokenVerdictIsWithheldWithoutDatabase(t *testing.T) {
	a, grants, _ := begin()
	grants.down = fault.New(fault.Unavailable, "the database cannot be reached")
	if _, err := a.Authenticate(t.Context(), "mine.good"); !errors.Is(err, grants.down) {
		t.Errorf("it ended with %v, want %v", err, grants.down)
	}
	grants.down = nil
	recognised(t, a, manager)
	unrecognised(t, a, "mine.bad")

	// A cached token needs no database.
	grants.down = fault.New(fault.Unavailable, "the database cannot be reached")
	recognised(t, a, manager)
}

// contract 5.9
func TestTokenUseIsRecordedOnceAMinute(t *testing.T) {
	a, grants, clock := begin()
	start := clock.at
	for range 10 {
		recognised(t, a, manager)
		if at := grants.touched[1]; len(at) > 0 {
			grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt = at[len(at)-1] })
		}
		clock.pass(15 * time.Second)
	}
	want := []time.Time{start, start.Add(time.Minute), start.Add(2 * time.Minute)}
	if got := grants.touched[1]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("recorded at %v, want %v", got, want)
	}
	unrecognised(t, a, "mine.bad")
	clock.pass(time.Hour)
	unrecognised(t, a, "mine.good")
	if got := grants.touched[1]; len(got) != len(want) {
		t.Errorf("a token that was rejected counts as used: %v", got)
	}
}

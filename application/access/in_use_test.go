package access

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/ports/repository"
)

// inUse reports whether the token counts as in use.
func inUse(t *testing.T, a *Authenticator, raw string) bool {
	t.Helper()
	v, err := a.Verify(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	return v.InUse
}

// contract 5.21
func TestTokenIsInUseForADayAfterItWasUsed(t *testing.T) {
	const longAgo = 24*time.Hour + time.Minute
	a, grants, clock := begin()
	grants.revise(func(g *repository.Grant) { g.Token.ExpiresAt = time.Time{} })
	for range 2 {
		if inUse(t, a, "mine.good") || len(grants.touched) != 0 {
			t.Error("a token that was never accepted counts as in use, or its use is recorded")
		}
		clock.pass(rememberFor)
	}
	recognised(t, a, manager)
	if !inUse(t, a, "mine.good") {
		t.Error("a token that was used a moment ago is not in use")
	}
	used := clock.at
	grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt = used })
	for _, later := range []time.Duration{rememberFor, time.Minute, longAgo - time.Microsecond} {
		clock.at = used.Add(later)
		if grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt = used }); !inUse(t, a, "mine.good") {
			t.Errorf("%v later the token is not in use", later)
		}
	}
	clock.pass(rememberFor)
	grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt = clock.at.Add(-longAgo) })
	if inUse(t, a, "mine.good") {
		t.Error("a token that was not used for long is in use")
	}
	for _, raw := range []string{"mine.bad", "yours.good", "nonsense"} {
		unrecognised(t, a, raw)
		if inUse(t, a, raw) { // when it is remembered, too
			t.Errorf("%s is in use", raw)
		}
	}
}

// contract 5.21
func TestTokenThatBecomesInvalidIsNotInUse(t *testing.T) {
	a, grants, clock := begin()
	recognised(t, a, manager)
	grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt, g.Disabled = clock.at, true })
	clock.pass(rememberFor)
	if inUse(t, a, "mine.good") {
		t.Error("it is in use")
	}
}

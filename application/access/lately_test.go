package access

import (
	"errors"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

var errDoubted = errors.New("doubted")

// doubts tells whether the token is doubted, and holds the doubt to be the answer.
func doubts(t *testing.T, a *Authenticator, raw string) bool {
	t.Helper()
	asked := 0
	actor, err := a.Authenticate(t.Context(), raw, func() error { asked++; return errDoubted })
	if asked > 1 || (asked == 1) != errors.Is(err, errDoubted) || asked == 1 && actor != (Actor{}) {
		t.Errorf("%s is doubted %d times and is %+v, %v", raw, asked, actor, err)
	}
	return asked == 1
}

// contract 5.21
func TestATokenIsDoubtedUnlessItIsInUse(t *testing.T) {
	const longAgo = 24*time.Hour + time.Minute
	a, grants, clock := begin()
	grants.revise(func(g *repository.Grant) { g.Token.ExpiresAt = time.Time{} })
	for range 2 {
		if !doubts(t, a, "mine.good") || len(grants.touched) != 0 {
			t.Error("a token that was never used is not doubted, or counts as used though it was refused")
		}
		clock.pass(rememberFor)
	}
	recognised(t, a, manager)
	if doubts(t, a, "mine.good") {
		t.Error("a token that was used a moment ago is doubted")
	}
	used := clock.at
	grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt = used })
	for _, later := range []time.Duration{rememberFor, time.Minute, longAgo - time.Microsecond} {
		clock.at = used.Add(later)
		if grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt = used }); doubts(t, a, "mine.good") {
			t.Errorf("%v later the token is doubted", later)
		}
	}
	clock.pass(rememberFor)
	grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt = clock.at.Add(-longAgo) })
	if !doubts(t, a, "mine.good") {
		t.Error("a token that nobody has used for long is not doubted")
	}
	for _, raw := range []string{"mine.bad", "yours.good", "nonsense"} {
		unrecognised(t, a, raw)
		if !doubts(t, a, raw) { // out of memory, too
			t.Errorf("%s is not doubted", raw)
		}
	}
}

// contract 5.21
func TestATokenInUseThatIsFoundBadIsDoubted(t *testing.T) {
	a, grants, clock := begin()
	recognised(t, a, manager)
	grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt, g.Disabled = clock.at, true })
	clock.pass(rememberFor)
	if !doubts(t, a, "mine.good") {
		t.Error("it is not doubted")
	}
}

// contract 5.21
func TestADatabaseThatIsAwayMakesNoTokenDoubtful(t *testing.T) {
	a, grants, _ := begin()
	grants.down = fault.New(fault.Unavailable, "the database cannot be reached")
	if doubts(t, a, "mine.good") {
		t.Error("it is doubted")
	}
}

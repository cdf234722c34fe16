package access

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/repository"
)

// expectIssued expects that the token is accepted for the manager.
func expectIssued(t *testing.T, a *Authenticator, raw string) {
	t.Helper()
	if got, err := a.AuthenticateIssued(t.Context(), raw); got != manager || err != nil {
		t.Errorf("%s is %+v, %v", raw, got, err)
	}
}

// expectNotIssued expects that the token is unauthenticated.
func expectNotIssued(t *testing.T, a *Authenticator, raw string) {
	t.Helper()
	if _, err := a.AuthenticateIssued(t.Context(), raw); !fault.Is(err, fault.Unauthenticated) {
		t.Fatalf("%s: %v", raw, err)
	}
}

// contract 5.11
func TestInvalidTokensCostOneQueryInTwoSeconds(t *testing.T) {
	a, grants, clock := begin()
	grants.revise(func(g *repository.Grant) { g.Token.LastUsedAt = clock.at.AddDate(0, 0, -3) })
	for round := range 3 {
		before := grants.queries
		for i := range 10_000 {
			expectNotIssued(t, a, fmt.Sprintf("%d.guess", i))
		}
		if got := grants.queries - before; got != 1 {
			t.Errorf("round %d: 10,000 unknown public ids cost %d queries", round, got)
		}
		expectIssued(t, a, "mine.good") // unused for three days
		for range 10_000 {
			expectNotIssued(t, a, "mine.guess")
		}
		if got := grants.queries - before; got != 2 {
			t.Errorf("round %d: with one existing public id it cost %d queries", round, got)
		}
		if _, ok := a.AuthenticateCached("mine.good"); !ok {
			t.Error("guesses evict a valid token from the cache")
		}
		clock.pass(rememberFor)
	}
}

// contract 5.21
func TestNewTokenIsKnownAsIssuedAfterTwoSeconds(t *testing.T) {
	a, grants, clock := begin()
	expectNotIssued(t, a, "new.good")
	grants.grants["new"] = grants.grants["mine"]
	expectNotIssued(t, a, "new.good")
	clock.pass(rememberFor)
	expectIssued(t, a, "new.good")
}

// contract 5.10, 5.21
func TestIssuedTokenIsRejectedTwoSecondsAfterItsRevocation(t *testing.T) {
	a, grants, clock := begin()
	expectIssued(t, a, "mine.good")
	grants.revise(func(g *repository.Grant) { g.Token.RevokedAt = clock.at })
	clock.pass(rememberFor)
	expectNotIssued(t, a, "mine.good")
}

// contract 3.22, 3.23
func TestIssuedTokensAreUnknownWithoutDatabase(t *testing.T) {
	a, grants, _ := begin()
	grants.down = fault.New(fault.Unavailable, "the database cannot be reached")
	if _, err := a.AuthenticateIssued(t.Context(), "mine.good"); !errors.Is(err, grants.down) {
		t.Errorf("got %v", err)
	}
	grants.down = nil
	expectIssued(t, a, "mine.good")
}

// gatedGrants holds the queries of the public ids and the first use until their gates are
// closed.
type gatedGrants struct {
	*grantStore
	asked, ids, used, use chan struct{}
	uses                  atomic.Int32
}

func (g *gatedGrants) PublicIDs(ctx context.Context, at time.Time, atMost int) ([]string, error) {
	g.asked <- struct{}{}
	<-g.ids
	return g.grantStore.PublicIDs(ctx, at, atMost)
}

func (g *gatedGrants) Touch(context.Context, token.ID, time.Time) error {
	if g.uses.Add(1) == 1 {
		close(g.used)
		<-g.use
	}
	return nil
}

func gated() (*Authenticator, *gatedGrants, *manualClock) {
	_, grants, clock := begin()
	g := &gatedGrants{grantStore: grants, asked: make(chan struct{}, 1), ids: make(chan struct{}), used: make(chan struct{}), use: make(chan struct{})}
	return NewAuthenticator(g, plain{}, clock), g, clock
}

func TestIssuedTokensAreReadOnceForConcurrentRequests(t *testing.T) {
	a, grants, _ := gated()
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if _, err := a.AuthenticateIssued(t.Context(), fmt.Sprintf("%d.guess", i)); !fault.Is(err, fault.Unauthenticated) {
				t.Error(err)
			}
		})
	}
	<-grants.asked

	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.AuthenticateIssued(canceled, "mine.good"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a canceled request waits for the others: %v", err)
	}
	close(grants.ids)
	wg.Wait()
	if len(grants.asked) != 0 || grants.queries != 1 {
		t.Errorf("%d queries", grants.queries)
	}
}

// contract 5.9
func TestTokenUseIsRecordedByOneOfConcurrentRequests(t *testing.T) {
	a, grants, clock := gated()
	use := func() {
		if _, err := a.Authenticate(t.Context(), "mine.good"); err != nil {
			t.Error(err)
		}
	}
	var first sync.WaitGroup
	first.Go(use)
	<-grants.used // and waits for the database
	for range 3 { // the others find no later use, and do not wait
		use()
		clock.pass(rememberFor)
	}
	close(grants.use)
	first.Wait()
	if n := grants.uses.Load(); n != 1 {
		t.Errorf("recorded %d times", n)
	}
	clock.pass(touchEvery)
	use()
	if n := grants.uses.Load(); n != 2 {
		t.Errorf("a minute later recorded %d times in all", n)
	}
}

package access

import (
	"errors"
	"testing"
	"time"
)

// contract 5.10, 5.11
func TestTokenIsRecalledForTwoSecondsOrUntilItExpires(t *testing.T) {
	a, grants, clock := begin()
	recalled := func(raw string, want Actor) {
		t.Helper()
		if got, ok := a.AuthenticateCached(raw); got != want || ok != (want != Actor{}) {
			t.Errorf("%s is %+v, %v", raw, got, ok)
		}
	}
	recalled("mine.good", Actor{})
	recognised(t, a, manager)
	unrecognised(t, a, "mine.bad")
	grants.down = errors.New("down")
	recalled("mine.good", manager)
	recalled("mine.bad", Actor{})
	clock.set(time.Hour)
	recalled("mine.good", Actor{})
	clock.set(-time.Hour)
	clock.pass(rememberFor)
	recalled("mine.good", Actor{})
}

// contract 3.36
func TestTokenIsIdentifiedAfterItMayHaveBecomeInvalid(t *testing.T) {
	a, grants, clock := begin()
	identified := func(raw string, want bool) {
		t.Helper()
		if id, ok := a.Identify(raw); ok != want || ok && id != manager.TokenID {
			t.Errorf("%s is the token %d, %v", raw, id, ok)
		}
	}
	identified("mine.good", false)
	recognised(t, a, manager)
	grants.down = errors.New("down")
	clock.pass(10 * rememberFor)
	identified("mine.good", true)
	identified("mine.bad", false)
	identified("other.good", false)
	identified("", false)
}

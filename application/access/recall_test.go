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
		if got, ok := a.Recall(raw); got != want || ok != (want != Actor{}) {
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

package traffic

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports"
)

// contract 1.19, 3.20, 5.18, 5.19
func TestRateLimiterRefillsContinuously(t *testing.T) {
	now := time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC)
	l := NewRateLimiter(2.5)
	l.now = func() time.Time { return now }
	ask := func(id token.ID) [4]string {
		h := http.Header{}
		err := l.Admit(ports.Caller{Token: id}, h)
		wait := ""
		if r, rejected := errors.AsType[problem.Error](err); rejected {
			wait = r.RetryAfter
		}
		return [4]string{h.Get("RateLimit-Limit"), h.Get("RateLimit-Remaining"), h.Get("RateLimit-Reset"), wait}
	}
	for i, step := range []struct {
		later time.Duration
		id    token.ID
		want  [4]string // limit, remaining, reset, how long to wait
	}{
		{0, 1, [4]string{"3", "2", "1", ""}},
		{0, 1, [4]string{"3", "1", "1", ""}},
		{0, 2, [4]string{"3", "2", "1", ""}},
		{0, 1, [4]string{"3", "0", "2", ""}},
		{0, 1, [4]string{"3", "0", "2", "1"}},
		{399 * time.Millisecond, 1, [4]string{"3", "0", "1", "1"}},
		{time.Millisecond, 1, [4]string{"3", "0", "2", ""}},
		{time.Minute, 1, [4]string{"3", "2", "1", ""}},
	} {
		now = now.Add(step.later)
		if diff := cmp.Diff(step.want, ask(step.id)); diff != "" {
			t.Errorf("step %d: -want +got\n%s", i, diff)
		}
	}
}

func TestRateLimiterBelowOneAdmitsSingleRequests(t *testing.T) {
	now := time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC)
	l := NewRateLimiter(0.1)
	l.now = func() time.Time { return now }
	if err := l.Admit(ports.Caller{Token: 1}, http.Header{}); err != nil {
		t.Fatal(err)
	}
	r, rejected := errors.AsType[problem.Error](l.Admit(ports.Caller{Token: 1}, http.Header{}))
	if !rejected || r.Status != http.StatusTooManyRequests || r.RetryAfter != "10" {
		t.Errorf("the second request gets %+v", r)
	}
}

// contract 4.91, 5.18: by the time of day, a token that has used up its second
// would be rejected for an hour when the clock is set back by one.
func TestRateLimiterUsesTheMonotonicClock(t *testing.T) {
	l := NewRateLimiter(1)
	if now := l.now(); !strings.Contains(now.String(), " m=") { // its monotonic reading
		t.Error("it uses the time of day")
	}
}

// contract 1.19
func TestRateLimiterOfZeroCountsNothing(t *testing.T) {
	h := http.Header{}
	off, on := NewRateLimiter(0), NewRateLimiter(1)
	for range 1000 {
		if err := off.Admit(ports.Caller{Token: 1}, h); err != nil {
			t.Fatal(err)
		}
		if err := on.Admit(ports.Caller{}, h); err != nil { // a public list, requested without a token
			t.Fatal(err)
		}
	}
	if len(h) != 0 || len(off.all) != 0 || len(on.all) != 0 {
		t.Errorf("%v, %d and %d tokens are remembered", h, len(off.all), len(on.all))
	}
}

func TestRateLimiterForgetsIdleTokens(t *testing.T) {
	now := time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC)
	l := NewRateLimiter(1)
	l.now = func() time.Time { return now }
	for id := range token.ID(maxBuckets) {
		_ = l.Admit(ports.Caller{Token: id + 1}, http.Header{})
	}
	now = now.Add(time.Second)
	_ = l.Admit(ports.Caller{Token: 1}, http.Header{})
	_ = l.Admit(ports.Caller{Token: maxBuckets + 1}, http.Header{})
	if len(l.all) != 2 {
		t.Errorf("%d tokens are remembered, want the two that were just used", len(l.all))
	}
	if l.Admit(ports.Caller{Token: 1}, http.Header{}) == nil {
		t.Error("what a token has used is forgotten")
	}
}

func TestRateLimiterCountsTokensOfCompaniesSeparately(t *testing.T) {
	l := NewRateLimiter(1)
	for _, of := range []ports.Caller{{Token: 1}, {Tenant: "0a1b2c3d", Token: 1}, {Tenant: "4e5f6071", Token: 1}} {
		if err := l.Admit(of, http.Header{}); err != nil {
			t.Errorf("%+v is rejected for what the token with its id in another company has used: %v", of, err)
		}
	}
}

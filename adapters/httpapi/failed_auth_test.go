package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// authService is an API of which only authentication is used, with a clock to set. It has
// the tokens of stubTokens, records when they were used, and counts lookups.
type authService struct {
	stubTokens

	api     *API
	at      time.Time
	used    time.Time
	lookups int
	guesses int
	down    error // the result of every lookup, unless nil
}

func (p *authService) Now() time.Time { return p.at }

func (p *authService) Find(ctx context.Context, publicID string) (repository.Grant, error) {
	p.lookups++
	if p.down != nil {
		return repository.Grant{}, p.down
	}
	grant, err := p.stubTokens.Find(ctx, publicID)
	grant.Token.LastUsedAt = p.used
	return grant, err
}

func (p *authService) PublicIDs(context.Context, time.Time, int) ([]string, error) {
	p.lookups++
	return []string{"good"}, p.down
}

func (p *authService) Touch(_ context.Context, _ token.ID, at time.Time) error {
	p.used = at
	return nil
}

func newAuthService(config Config) *authService {
	p := &authService{at: time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC)}
	p.api = &API{config: config, home: &Tenant{auth: access.NewAuthenticator(p, p, p)}, limits: newLimits(&config)}
	p.api.limits.failedAuth = traffic.NewFailedAuthLimiter(p.Now)
	return p
}

// send is the status and the Retry-After of a request with a token from an address.
func (p *authService) send(from, secret string) (status int, wait string) {
	c, err := p.authenticate(from, secret)
	c.leave()
	if err == nil {
		return http.StatusOK, ""
	}
	document, _ := problem.Of(err)
	rejected, _ := errors.AsType[problem.Error](err)
	return document.Status, rejected.RetryAfter
}

// authenticate is the call of a request with a token from an address, admitted.
func (p *authService) authenticate(from, secret string) (*call, error) {
	r := newGet("/rest/user", "access-token", secret)
	r.RemoteAddr = from
	c := p.api.newCall(r.Context(), r, &route{public: true}, &ports.Observation{})
	c.query.Values = r.URL.Query()
	return c, p.api.admit(c, http.Header{})
}

func TestCallerIsTheTokenOnceItIsFoundValid(t *testing.T) {
	address := ports.Caller{Address: netip.MustParsePrefix("192.0.2.1/32")}
	p := newAuthService(Config{PublicLists: true})
	for _, c := range []struct {
		token string
		want  ports.Caller
	}{
		{"good", ports.Caller{Token: 1}},
		{"unknown", address},
		{"", address},
	} {
		call, _ := p.authenticate(here, c.token)
		if got := ports.CallerFrom(call); got != c.want {
			t.Errorf("with the token %q the caller is %+v, want %+v", c.token, got, c.want)
		}
	}
	if got := ports.CallerFrom(t.Context()); got != (ports.Caller{}) {
		t.Errorf("without a request the caller is %+v", got)
	}
}

// guess sends different invalid tokens and returns their statuses, without repetitions.
func (p *authService) guess(from string, times int) []int {
	var statuses []int
	for range times {
		p.guesses++
		status, _ := p.send(from, fmt.Sprintf("guess-%d", p.guesses))
		statuses = append(statuses, status)
	}
	return slices.Compact(statuses)
}

// failedAuthBurst is how many invalid tokens an address may send at once.
const failedAuthBurst = 60

const here, elsewhere = "192.0.2.1:4711", "192.0.2.2:4711"

// contract 5.21, 3.20, 3.25
func TestFailedTokensAreRateLimitedPerAddress(t *testing.T) {
	p := newAuthService(Config{})
	if got := p.guess(here, failedAuthBurst); !slices.Equal(got, []int{401}) {
		t.Fatalf("%d guesses: got %v", failedAuthBurst, got)
	}
	if status, wait := p.send(here, "another"); status != 429 || wait != "1" {
		t.Errorf("one more: got %d, Retry-After %q", status, wait)
	}
	p.at = p.at.Add(999 * time.Millisecond)
	if status, wait := p.send(here, "another"); status != 429 || wait != "1" {
		t.Errorf("1 ms too early: got %d, Retry-After %q", status, wait)
	}
	for range 3 {
		p.at = p.at.Add(time.Second)
		if got := p.guess(here, 3); !slices.Equal(got, []int{401, 429}) {
			t.Errorf("a second later, three guesses: got %v", got)
		}
	}
	p.at = p.at.Add(time.Hour)
	if got := p.guess(here, failedAuthBurst); !slices.Equal(got, []int{401}) {
		t.Errorf("after an hour %d guesses: got %v", failedAuthBurst, got)
	}
}

// contract 5.21
func TestFailedTokenCountsEachTimeItIsSent(t *testing.T) {
	p := newAuthService(Config{})
	for i := range failedAuthBurst {
		if status, _ := p.send(here, "invalid"); status != 401 {
			t.Fatalf("guess %d is a %d", i, status)
		}
	}
	if status, _ := p.send(here, "invalid"); status != 429 {
		t.Errorf("one more: got %d", status)
	}
}

func TestFailedTokensOfALimitedAddressCostNoLookup(t *testing.T) {
	p := newAuthService(Config{})
	p.send(here, "good")
	p.guess(here, failedAuthBurst)
	before := p.lookups
	if got := p.guess(here, 10_000); !slices.Equal(got, []int{429}) {
		t.Fatalf("10,000 guesses: got %v", got)
	}
	if got := p.lookups - before; got != 1 { // of all public ids
		t.Errorf("10,000 guesses cost %d lookups", got)
	}
	if p.send(here, "good"); p.lookups != before+1 {
		t.Error("the guesses evicted a valid token from the cache")
	}
}

func TestFailedTokensOfALimitedAddressDoNotLookForNewCompanies(t *testing.T) {
	soon := 0
	p := newAuthService(Config{Tenants: stubCompanies{soon: &soon}})
	p.guess(here, 10*failedAuthBurst)
	if soon != failedAuthBurst {
		t.Errorf("%d of %d guesses look for new companies", soon, 10*failedAuthBurst)
	}
}

// Several clients share the address, and one of them keeps sending invalid tokens.
//
// contract 5.21
func TestValidTokenIsAcceptedFromALimitedAddress(t *testing.T) {
	for name, idle := range map[string]time.Duration{"in use": time.Minute, "unused for three days": 3 * 24 * time.Hour, "never used": -1} {
		t.Run(name, func(t *testing.T) {
			p := newAuthService(Config{})
			if idle >= 0 {
				p.used = p.at.Add(-idle)
			}
			for range 3 {
				p.guess(here, 2*failedAuthBurst)
				if status, _ := p.send(here, "good"); status != 200 {
					t.Errorf("the good token is a %d", status)
				}
				if status, _ := p.send(here, ""); status != 401 {
					t.Errorf("a request without a token is a %d", status)
				}
				p.at = p.at.Add(2 * time.Second) // in which it leaves the cache
			}
		})
	}
}

// contract 5.21
func TestFailedTokensAreOnlyInvalidOnes(t *testing.T) {
	p := newAuthService(Config{})
	for range 2 * failedAuthBurst {
		if status, _ := p.send(here, ""); status != 401 {
			t.Fatalf("no token is a %d", status)
		}
	}
	p.down = fault.New(fault.Unavailable, "no connection")
	for i := range 2 * failedAuthBurst {
		if status, _ := p.send(here, fmt.Sprint("unknown-", i)); status != 503 {
			t.Fatalf("without a database a token is a %d", status)
		}
	}
	p.down = nil
	for range 2 * failedAuthBurst {
		if status, _ := p.send(here, "good"); status != 200 {
			t.Fatalf("a good token is a %d", status)
		}
	}
	if got := p.guess(here, failedAuthBurst); !slices.Equal(got, []int{401}) {
		t.Errorf("the burst of invalid tokens afterwards: got %v", got)
	}
}

// contract 5.22
func TestFailedTokensAreLimitedPerNetworkInIPv6(t *testing.T) {
	p := newAuthService(Config{TrustedProxies: traffic.Proxies{netip.MustParsePrefix("10.0.0.1/32")}})
	p.guess("[2001:db8:1:2::1]:80", 2*failedAuthBurst)
	if got := p.guess("[2001:db8:1:2:ffff::1]:80", 1); !slices.Equal(got, []int{429}) {
		t.Errorf("a guess from the same network: got %v", got)
	}
	if got := p.guess("[2001:db8:1:3::1]:80", 1); !slices.Equal(got, []int{401}) {
		t.Errorf("a guess from another network: got %v", got)
	}
}

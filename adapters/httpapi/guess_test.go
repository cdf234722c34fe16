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

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/observe"
	"github.com/kontor-crm/kontor/ports/repository"
)

// porter is an API of which only who is let in matters, with a clock to set. It has
// the tokens of the keyring, keeps when they were used, and counts how often it
// looks for one.
type porter struct {
	keyring

	api    *API
	at     time.Time
	used   time.Time
	looked int
	down   error // what every look ends with, unless nil
}

func (p *porter) Now() time.Time { return p.at }

func (p *porter) Find(ctx context.Context, publicID string) (repository.Grant, error) {
	p.looked++
	if p.down != nil {
		return repository.Grant{}, p.down
	}
	grant, err := p.keyring.Find(ctx, publicID)
	grant.Token.LastUsedAt = p.used
	return grant, err
}

func (p *porter) Touch(_ context.Context, _ token.ID, at time.Time) error {
	p.used = at
	return nil
}

func newPorter(config Config) *porter {
	p := &porter{at: time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC)}
	p.api = &API{config: config, auth: access.NewAuthenticator(p, p, p), limit: newLimiter(0), guesses: newGuesses()}
	p.api.guesses.now = p.Now
	return p
}

// asks is the status that a token from an address ends with, and how long it is to
// wait.
func (p *porter) asks(from, secret string) (status int, wait string) {
	r := asked("/rest/user", "access-token", secret)
	r.RemoteAddr = from
	c := &call{Context: r.Context(), api: p.api, http: r, query: r.URL.Query(), route: &route{}, seen: &observe.Request{}}
	_, err := p.api.authenticate(c, http.Header{})
	if err == nil {
		return http.StatusOK, ""
	}
	problem, _ := problemOf(err)
	refused, _ := errors.AsType[refusal](err)
	return problem.Status, refused.wait
}

// guess presents wrong tokens that differ, and gives the statuses without those
// that repeat the one before.
func (p *porter) guess(from string, times int) []int {
	var statuses []int
	for range times {
		status, _ := p.asks(from, fmt.Sprintf("guess-%d", p.looked))
		statuses = append(statuses, status)
	}
	return slices.Compact(statuses)
}

const here, elsewhere = "192.0.2.1:4711", "192.0.2.2:4711"

// contract 5.21, 3.20, 3.25
func TestAnAddressPresentsSixtyWrongTokensAtOnceAndThenOneASecond(t *testing.T) {
	p := newPorter(Config{})
	if got := p.guess(here, guessesAtOnce); !slices.Equal(got, []int{401}) {
		t.Fatalf("%d guesses are answered %v", guessesAtOnce, got)
	}
	if status, wait := p.asks(here, "another"); status != 429 || wait != "1" {
		t.Errorf("one more is a %d to come back in %q s", status, wait)
	}
	p.at = p.at.Add(999 * time.Millisecond)
	if status, wait := p.asks(here, "another"); status != 429 || wait != "1" {
		t.Errorf("a moment too early it is a %d to come back in %q s", status, wait)
	}
	for range 3 {
		p.at = p.at.Add(time.Second)
		if got := p.guess(here, 3); !slices.Equal(got, []int{401, 429}) {
			t.Errorf("a second later three guesses are answered %v", got)
		}
	}
	p.at = p.at.Add(time.Hour)
	if got := p.guess(here, guessesAtOnce); !slices.Equal(got, []int{401}) {
		t.Errorf("after an hour %d guesses are answered %v", guessesAtOnce, got)
	}
}

// contract 5.21
func TestTheSameWrongTokenIsAGuessEachTime(t *testing.T) {
	p := newPorter(Config{})
	for i := range guessesAtOnce {
		if status, _ := p.asks(here, "dead"); status != 401 {
			t.Fatalf("guess %d is a %d", i, status)
		}
	}
	if status, _ := p.asks(here, "dead"); status != 429 || p.looked != 1 {
		t.Errorf("one more is a %d; it was looked for %d times", status, p.looked)
	}
}

// An office behind one address, one of whose programs goes on with a dead token.
//
// contract 5.21
func TestATokenThatIsInUseWorksBesideGuesses(t *testing.T) {
	p := newPorter(Config{})
	if status, _ := p.asks(here, "good"); status != 200 {
		t.Fatalf("the good token is a %d", status)
	}
	for range 12 { // a day, in which the token is forgotten and looked for again
		p.guess(here, 2*guessesAtOnce)
		if status, _ := p.asks(here, "good"); status != 200 {
			t.Errorf("at %s the good token is a %d", p.at, status)
		}
		p.at = p.at.Add(2 * time.Hour)
	}
	p.guess(here, 2*guessesAtOnce)
	if status, _ := p.asks(here, ""); status != 401 {
		t.Errorf("a request without a token is a %d", status)
	}
	if status, _ := p.asks(elsewhere, "good"); status != 200 {
		t.Errorf("from another address the good token is a %d", status)
	}

	again := newPorter(Config{}) // the process is started anew
	again.used = p.used
	again.guess(here, 2*guessesAtOnce)
	if status, _ := again.asks(here, "good"); status != 200 {
		t.Errorf("after a start the good token is a %d", status)
	}
	again.at = again.at.Add(3 * 24 * time.Hour)
	again.guess(here, 2*guessesAtOnce)
	for range 2 {
		if status, _ := again.asks(here, "good"); status != 429 {
			t.Errorf("after three days of rest the good token is a %d", status)
		}
		again.at = again.at.Add(3 * time.Second) // in which it is looked for again, and there are guesses left
		again.guess(here, 2*guessesAtOnce)
	}
	if status, _ := again.asks(elsewhere, "good"); status != 200 {
		t.Errorf("from another address it is a %d", status)
	}
}

// contract 5.21
func TestOnlyAWrongTokenIsAGuess(t *testing.T) {
	p := newPorter(Config{})
	for range 2 * guessesAtOnce {
		if status, _ := p.asks(here, ""); status != 401 {
			t.Fatalf("no token is a %d", status)
		}
	}
	p.down = fault.New(fault.Unavailable, "the database is away")
	for i := range 2 * guessesAtOnce {
		if status, _ := p.asks(here, fmt.Sprint("unseen-", i)); status != 503 {
			t.Fatalf("without a database a token is a %d", status)
		}
	}
	p.down = nil
	for range 2 * guessesAtOnce {
		if status, _ := p.asks(here, "good"); status != 200 {
			t.Fatalf("a good token is a %d", status)
		}
	}
	if got := len(p.api.guesses.all); got != 0 {
		t.Errorf("%d addresses are remembered", got)
	}
}

// Guesses that are under way at once all get past, and are paid for afterwards.
//
// contract 5.21
func TestGuessesAtTheSameMomentAreAllCounted(t *testing.T) {
	p := newPorter(Config{})
	from := netip.MustParsePrefix("192.0.2.1/32")
	for range guessesAtOnce + 100 {
		p.api.guesses.count(from)
	}
	if _, wait := p.asks(here, "another"); wait != "101" {
		t.Errorf("after 100 guesses too many one is to wait %q s", wait)
	}
}

// contract 5.22, 1.23
func TestTheCallerIsTheLastWhoIsNoTrustedProxy(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, c := range map[string]struct {
		peer string
		said []string
		want string
	}{
		"a connection":                 {"192.0.2.1:80", nil, "192.0.2.1/32"},
		"in IPv6, with its neighbours": {"[2001:db8:1:2:3:4:5:6]:80", nil, "2001:db8:1:2::/64"},
		"in a zone":                    {"[fe80::1%eth0]:80", nil, "fe80::/64"},
		"in mapped IPv4":               {"[::ffff:192.0.2.1]:80", nil, "192.0.2.1/32"},
		"a stranger who tells tales":   {"192.0.2.1:80", []string{"198.51.100.7"}, "192.0.2.1/32"},
		"behind a proxy":               {"10.0.0.1:80", []string{"198.51.100.7"}, "198.51.100.7/32"},
		"behind a proxy in IPv6":       {"[fd00::1]:80", []string{"2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::/64"},
		"behind two":                   {"10.0.0.1:80", []string{"198.51.100.7, 10.0.0.2"}, "198.51.100.7/32"},
		"behind two with a header each": {
			"10.0.0.1:80", []string{"203.0.113.9, 198.51.100.7", "10.0.0.2"}, "198.51.100.7/32",
		},
		"told by the caller itself":       {"10.0.0.1:80", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7/32"},
		"with a port":                     {"10.0.0.1:80", []string{"198.51.100.7:4711"}, "198.51.100.7/32"},
		"with a port in IPv6":             {"10.0.0.1:80", []string{"[2001:db8::1]:4711"}, "2001:db8::/64"},
		"the proxy alone":                 {"10.0.0.1:80", nil, "10.0.0.1/32"},
		"proxies only":                    {"10.0.0.1:80", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3/32"},
		"what makes no sense":             {"10.0.0.1:80", []string{"198.51.100.7, unknown, 10.0.0.2"}, "10.0.0.2/32"},
		"nothing at the end of the list":  {"10.0.0.1:80", []string{"198.51.100.7,"}, "10.0.0.1/32"},
		"a peer that has no address":      {"@", []string{"198.51.100.7"}, "invalid Prefix"},
		"a proxy's word of somebody else": {"10.0.0.1:80", []string{"::ffff:198.51.100.7"}, "198.51.100.7/32"},
	} {
		t.Run(name, func(t *testing.T) {
			r := asked("/rest/user")
			r.RemoteAddr = c.peer
			r.Header["X-Forwarded-For"] = c.said
			api := &API{config: Config{TrustedProxies: proxies}}
			if got := api.callerOf(r).String(); got != c.want {
				t.Errorf("the caller is %s, want %s", got, c.want)
			}
		})
	}
}

// contract 5.22
func TestEachAddressGuessesForItself(t *testing.T) {
	p := newPorter(Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")}})
	p.guess("[2001:db8:1:2::1]:80", 2*guessesAtOnce)
	if got := p.guess("[2001:db8:1:2:ffff::1]:80", 1); !slices.Equal(got, []int{429}) {
		t.Errorf("a neighbour's guess is answered %v", got)
	}
	if got := p.guess("[2001:db8:1:3::1]:80", 1); !slices.Equal(got, []int{401}) {
		t.Errorf("the guess of another network is answered %v", got)
	}
}

func TestAddressesThatGuessedTakeBoundedMemory(t *testing.T) {
	for name, later := range map[string]time.Duration{"all at once": 0, "an hour apart": time.Hour} {
		t.Run(name, func(t *testing.T) {
			p := newPorter(Config{})
			g := p.api.guesses
			stubborn := netip.MustParsePrefix("192.0.2.1/32")
			for range maxBuckets {
				g.count(stubborn) // for hours to come
			}
			for i := range 2*maxBuckets - 2 { // so many that not all of the second half need room
				if i == maxBuckets-1 {
					p.at = p.at.Add(later)
				}
				address := netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)})
				network, err := address.Prefix(32)
				if err != nil {
					t.Fatal(err)
				}
				g.count(network)
				if len(g.all) > maxBuckets {
					t.Fatalf("%d addresses are remembered", len(g.all))
				}
			}
			if later > 0 && g.admit(stubborn) == nil {
				t.Error("what an address owes is forgotten before what owes nothing")
			}
		})
	}
}

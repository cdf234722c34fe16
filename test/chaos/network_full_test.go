//go:build full

package chaos_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgproxy"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

const (
	requestTimeout = 2 * time.Second
	// margin is how much longer than the request timeout a response may take: the
	// statement is cancelled in PostgreSQL first, and then the connection abandoned.
	margin   = 1500 * time.Millisecond
	recovery = 5 * time.Second
)

// remote is a service whose connection to the database can be disturbed.
type remote struct {
	*pgproxy.Proxy

	t          *testing.T
	url, token string
	client     *http.Client
	database   string
}

func startRemote(t *testing.T) *remote {
	t.Helper()
	d := &remote{t: t, database: pgtest.URL(t), client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	d.Proxy = pgproxy.Open(t, d.database)
	running := testserver.On(t, d.URL, func(c *bootstrap.Config) {
		c.RequestTimeout, c.StatementTimeout, c.LockTimeout = requestTimeout, time.Second, time.Second
	})
	d.url, d.token = running.URL, testserver.Token(t, running.Service, "admin", user.Admin)
	return d
}

// response is a response, and when its request was sent.
type response struct {
	rest.Response

	at time.Time
}

func (d *remote) send(ctx context.Context, method, path, body string) (response, error) {
	begun := time.Now()
	got, err := rest.Client{URL: d.url, Token: d.token, HTTP: d.client}.Send(ctx, method, path, body)
	return response{got, begun}, err
}

// load is the responses to requests over several connections.
type load struct {
	mu      sync.Mutex
	all     []response
	senders sync.WaitGroup
}

func (l *load) add(a response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, a)
}

// allServed reports whether all requests since then were served, at least one.
func (l *load) allServed(since time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	served := 0
	for _, a := range slices.Backward(l.all) {
		if a.at.Before(since) {
			break
		}
		if a.Status != http.StatusOK {
			return false
		}
		served++
	}
	return served > 0
}

func (d *remote) load(ctx context.Context, clients []string) *load {
	l := &load{}
	for n, client := range clients {
		l.senders.Go(func() {
			random := rand.New(rand.NewPCG(uint64(n), 1))
			for ctx.Err() == nil {
				method, path, body := http.MethodGet, client, ""
				switch random.IntN(3) {
				case 0:
					path = "/rest/client?count_deals=1"
				case 1:
					method, body = http.MethodPut, fmt.Sprintf(`{"description":"%d"}`, random.Int())
				}
				a, err := d.send(context.WithoutCancel(ctx), method, path, body)
				if err != nil {
					d.t.Errorf("%s %s has no response: %v", method, path, err)
					return
				}
				l.add(a)
			}
		})
	}
	return l
}

// contract 3.22, 1.19
func TestServiceRecoversFromNetworkFailures(t *testing.T) {
	d := startRemote(t)
	clients := make([]string, 8)
	for i := range clients {
		a, err := d.send(t.Context(), http.MethodPost, "/rest/client", `{"type":1,"name":"A"}`)
		var created struct{ Response struct{ ID int64 } }
		if err != nil || json.Unmarshal(a.Body, &created) != nil || a.Status != http.StatusOK {
			t.Fatalf("%v, %+v", err, a)
		}
		clients[i] = fmt.Sprintf("/rest/client/%d", created.Response.ID)
	}
	// The connections to the database have goroutines in this process: open them
	// first.
	warmUp, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	d.load(warmUp, clients).senders.Wait()
	d.client.CloseIdleConnections()
	before := runtime.NumGoroutine()
	// Longer than a request timeout.
	const outage = 30 * time.Second
	for _, of := range []struct {
		name   string
		fault  pgproxy.Fault
		lasts  time.Duration
		effect effect
	}{
		{"nothing", pgproxy.Fault{}, time.Second, none},
		{"latency", pgproxy.Fault{Delay: 50 * time.Millisecond}, 2 * time.Second, none},
		{"bandwidth", pgproxy.Fault{Rate: 20_000}, 2 * time.Second, possible},
		{"reset", pgproxy.Fault{Reset: true}, 2 * time.Second, certain},
		{"half-open", pgproxy.Fault{Silent: true}, outage, certain},
		{"cut", pgproxy.Fault{Cut: true}, outage, certain},
	} {
		t.Run(of.name, func(t *testing.T) {
			running, stop := context.WithCancel(t.Context())
			l := d.load(running, clients)
			time.Sleep(300 * time.Millisecond)
			d.Set(of.fault)
			time.Sleep(of.lasts)
			d.Set(pgproxy.Fault{})
			healed := time.Now()
			for now := healed; now.Sub(healed) < recovery+time.Second; now = time.Now() {
				time.Sleep(50 * time.Millisecond)
				if lately := now.Add(-time.Second); lately.After(healed) && l.allServed(lately) {
					break
				}
			}
			stop()
			l.senders.Wait()
			check(t, l.all, healed, of.effect)
			d.assertNoLeaks(t, before)
		})
	}
}

// effect is the expected effect of a disturbance.
type effect int

const (
	none effect = iota
	possible
	certain
)

// check compares the responses with the contract.
func check(t *testing.T, all []response, healed time.Time, h effect) {
	t.Helper()
	var failed int
	var slowest, back time.Duration
	for _, a := range all {
		slowest = max(slowest, a.Took)
		if a.Status == http.StatusOK {
			continue
		}
		failed++
		back = max(back, a.at.Sub(healed))
		if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Errorf("a response is %d, with Retry-After %q: %s", a.Status, a.Header.Get("Retry-After"), a.Body)
		}
	}
	t.Logf("requests: %d, of which 503: %d, slowest in seconds: %.2f, recovered after seconds: %.2f", len(all), failed, slowest.Seconds(), max(back, 0).Seconds())
	if slowest > requestTimeout+margin {
		t.Errorf("a response took %s", slowest)
	}
	if back > recovery {
		t.Errorf("a request of %s after the network recovered is not served", back)
	}
	if h == none && failed > 0 || h == certain && failed == 0 {
		t.Errorf("%d requests were not served", failed)
	}
	if last := slices.MaxFunc(all, func(a, b response) int { return a.at.Compare(b.at) }); last.Status != http.StatusOK {
		t.Errorf("the last response is %d", last.Status)
	}
}

// assertNoLeaks waits until there are as many goroutines as before, and looks for
// transactions that are not ended.
func (d *remote) assertNoLeaks(t *testing.T, before int) {
	t.Helper()
	d.client.CloseIdleConnections()
	const some = 16 // the pool's own vary
	deadline := time.Now().Add(recovery)
	for runtime.NumGoroutine() > before+some && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	if now := runtime.NumGoroutine(); now > before+some {
		t.Errorf("there were %d goroutines, and there are %d", before, now)
	}
	var open, running int
	pool := pgtest.Pool(t, d.database)
	err := pool.QueryRow(t.Context(), `
select count(*), count(*) filter (where state <> 'idle')
from pg_stat_activity
where datname = current_database() and application_name like 'kontor%' and pid <> pg_backend_pid()`).Scan(&open, &running)
	if err != nil || open > 16 || running > 0 {
		t.Errorf("%v; of %d connections %d are not idle", err, open, running)
	}
}

// contract 1.19
func TestCancelledRequestsKeepTheirConnections(t *testing.T) {
	d := startRemote(t)
	d.Set(pgproxy.Fault{Delay: 100 * time.Millisecond})
	for range 3 { // so that there are some
		var warmUp sync.WaitGroup
		for range 8 {
			warmUp.Go(func() { _, _ = d.send(t.Context(), http.MethodGet, "/rest/client", "") })
		}
		warmUp.Wait()
	}
	before := d.backends()
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), 120*time.Millisecond)
		if a, err := d.send(ctx, http.MethodGet, "/rest/client", ""); err == nil {
			t.Errorf("a request was served before it was cancelled: %+v", a)
		}
		cancel()
		time.Sleep(500 * time.Millisecond)
	}
	if a, err := d.send(t.Context(), http.MethodGet, "/rest/client", ""); err != nil || a.Status != http.StatusOK {
		t.Errorf("%v, %+v", err, a)
	}
	after := d.backends()
	if len(before) == 0 || !slices.Equal(before, after) {
		t.Errorf("the connections were %v and are %v", before, after)
	}
}

// backends returns the process IDs of the service's connections.
func (d *remote) backends() (pids []int) {
	d.t.Helper()
	err := pgtest.Pool(d.t, d.database).QueryRow(d.t.Context(), `
select array_agg(pid order by pid)
from pg_stat_activity
where datname = current_database() and application_name like 'kontor%' and pid <> pg_backend_pid()`).Scan(&pids)
	if err != nil {
		d.t.Fatal(err)
	}
	return pids
}

// An attempt to connect to an unresponsive server outlives its request. It must end
// without help, or a few of them exhaust the pool.
func TestHangingConnectionAttemptsAreAbandoned(t *testing.T) {
	d := startRemote(t)
	d.Set(pgproxy.Fault{Silent: true})
	d.url = testserver.On(t, d.URL, func(c *bootstrap.Config) {
		c.MaxConnections, c.RequestTimeout, c.StatementTimeout = 4, time.Second, 500*time.Millisecond
	}).URL
	for range 3 {
		if a, err := d.send(t.Context(), http.MethodGet, "/rest/client", ""); err != nil || a.Status != http.StatusServiceUnavailable {
			t.Fatalf("without a database: %v, %+v", err, a)
		}
	}
	d.Set(pgproxy.Fault{})
	for since := time.Now(); ; {
		a, err := d.send(t.Context(), http.MethodGet, "/rest/client", "")
		if err == nil && a.Status == http.StatusOK {
			t.Logf("served after seconds: %.2f", time.Since(since).Seconds())
			return
		}
		if time.Since(since) > recovery {
			t.Fatalf("%s after the database responds: %v, %+v", recovery, err, a)
		}
	}
}

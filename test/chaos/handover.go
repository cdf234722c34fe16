package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Handover restarts two instances behind a proxy in turn, while clients read and write.
type Handover struct {
	Restarts int // of each instance
	Clients  int
	Drain    time.Duration // for how long an instance still serves once it is stopped
	// Proxy starts one before the instances at these addresses.
	Proxy func(ctx context.Context, a, b string) (Proxy, error)
}

// Visits are what the clients of a handover saw.
type Visits struct {
	Restarts, Requests int
	Failed             []string // each in words
	Created            []int64  // the records whose creation was answered
	Longest            time.Duration
}

// String is the figures, one in a line.
func (v Visits) String() string {
	return fmt.Sprintf("restarts: %d\nrequests: %d\nfailed requests: %d\nlongest answer in ms: %d\n",
		v.Restarts, v.Requests, len(v.Failed), v.Longest.Milliseconds())
}

// Run restarts under load. Each restart waits until the proxy sends requests to the
// instance again.
func (h Handover) Run(ctx context.Context, s *Site) (_ Visits, err error) {
	both := map[string]*Instance{}
	defer func() {
		for _, i := range both {
			err = errors.Join(err, i.Close())
		}
	}()
	for name := range other {
		i, err := s.Begin(ctx, "KONTOR_DRAIN_DELAY="+h.Drain.String(), "KONTOR_LOG_LEVEL=warn")
		if err != nil {
			return Visits{}, err
		}
		both[name] = i
	}
	proxy, err := h.Proxy(ctx, both["a"].Address, both["b"].Address)
	if err != nil {
		return Visits{}, err
	}
	defer func() { err = errors.Join(err, proxy.Close()) }()
	v := &visitors{token: s.Token, address: proxy.Address, served: map[string]time.Time{}}
	if err := v.enter(ctx); err != nil {
		return Visits{}, err
	}
	asking, stop := context.WithCancel(ctx)
	var clients sync.WaitGroup
	for n := range h.Clients {
		clients.Go(func() { v.come(asking, n) })
	}
	for range h.Restarts {
		for _, name := range []string{"a", "b"} {
			err = errors.Join(err, h.restart(ctx, v, name, both[name]))
			v.seen.Restarts++
		}
		if err != nil {
			break
		}
	}
	stop()
	clients.Wait()
	return v.seen, err
}

// other is the instance that serves meanwhile.
var other = map[string]string{"a": "b", "b": "a"}

// restart waits before it until the other one is there.
func (h Handover) restart(ctx context.Context, v *visitors, name string, i *Instance) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute+h.Drain)
	defer cancel()
	if err := v.await(ctx, other[name], time.Now()); err != nil {
		return err
	}
	if err := i.stop(ctx); err != nil {
		return err
	}
	since := time.Now()
	return errors.Join(i.start(ctx), v.await(ctx, name, since))
}

// visitors ask through the proxy, each over a connection of its own that is kept.
type visitors struct {
	token, address string
	client         string // a record to read and change

	mu     sync.Mutex
	seen   Visits
	served map[string]time.Time // when the last request was sent that the one of the name served
}

// enter makes the record.
func (v *visitors) enter(ctx context.Context) error {
	for ctx.Err() == nil { // until the proxy knows the instances
		v.ask(ctx, &http.Client{}, http.MethodPost, "/rest/client", `{"type":1,"name":"visited"}`)
		if v.seen.Created != nil {
			v.client = fmt.Sprintf("/rest/client/%d", v.seen.Created[0])
			v.seen = Visits{Created: v.seen.Created}
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the proxy serves nobody: %w: %s", context.Cause(ctx), strings.Join(v.seen.Failed, "\n"))
}

// come asks until the context ends.
func (v *visitors) come(ctx context.Context, n int) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	browser, chance := &http.Client{Transport: transport, Timeout: time.Minute}, rand.New(rand.NewPCG(uint64(n), 3))
	whole := context.WithoutCancel(ctx)
	for ctx.Err() == nil {
		switch chance.IntN(4) {
		case 0:
			v.ask(whole, browser, http.MethodPost, "/rest/client", `{"type":1,"name":"new"}`)
		case 1:
			v.ask(whole, browser, http.MethodPut, v.client, fmt.Sprintf(`{"description":"%d"}`, chance.Int()))
		case 2:
			v.ask(whole, browser, http.MethodGet, v.client, "")
		case 3:
			v.ask(whole, browser, http.MethodGet, "/rest/client?count_deals=1", "")
		}
		time.Sleep(time.Duration(chance.IntN(10)) * time.Millisecond)
	}
}

// ask sends a request once, and notes what came of it.
func (v *visitors) ask(ctx context.Context, browser *http.Client, method, path, body string) {
	begun := time.Now()
	by, created, err := v.send(ctx, browser, method, path, body)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen.Requests++
	v.seen.Longest = max(v.seen.Longest, time.Since(begun))
	if err != nil {
		v.seen.Failed = append(v.seen.Failed, fmt.Sprintf("%s %s: %v", method, path, err))
		return
	}
	if created != 0 {
		v.seen.Created = append(v.seen.Created, created)
	}
	if begun.After(v.served[by]) {
		v.served[by] = begun
	}
}

// send is an error if the answer is not whole, or not one of success.
func (v *visitors) send(ctx context.Context, browser *http.Client, method, path, body string) (by string, created int64, err error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+v.address+path, strings.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	r.Header.Set("Authorization", "Bearer "+v.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.GetBody = nil // what fails is not sent again unseen
	answer, err := browser.Do(r)
	if err != nil {
		return "", 0, err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode/100 != 2 {
		err = fmt.Errorf("%d: %s", answer.StatusCode, said)
	}
	if err != nil || method != http.MethodPost {
		return answer.Header.Get(servedBy), 0, err
	}
	var made struct{ Response struct{ ID int64 } }
	err = json.Unmarshal(said, &made)
	return answer.Header.Get(servedBy), made.Response.ID, err
}

// await waits until the one of the name serves a request that was sent since then.
func (v *visitors) await(ctx context.Context, name string, since time.Time) error {
	for {
		v.mu.Lock()
		last := v.served[name]
		v.mu.Unlock()
		if last.After(since) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not sent any request: %w", name, context.Cause(ctx))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

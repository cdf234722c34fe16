package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/kontor-crm/kontor/test/rest"
)

// RollingRestart restarts two instances behind haproxy in turn under load.
type RollingRestart struct {
	Restarts int // of each instance
	Clients  int
	Drain    time.Duration // the instances' drain delay
	Page     string        // path of the page with the configuration of haproxy
	Folder   string        // for haproxy
}

// RestartReport is what the clients of a rolling restart saw.
type RestartReport struct {
	Restarts, Requests int
	Failed             []string // descriptions
	Created            []int64  // the acknowledged records
	Longest            time.Duration
}

// String lists the figures, one per line.
func (v RestartReport) String() string {
	return fmt.Sprintf("restarts: %d\nrequests: %d\nfailed requests: %d\nlongest response in ms: %d\n",
		v.Restarts, v.Requests, len(v.Failed), v.Longest.Milliseconds())
}

// Run restarts under load. Each restart waits until the proxy sends requests to the
// instance again.
func (h RollingRestart) Run(ctx context.Context, s *Site) (_ RestartReport, err error) {
	both := map[string]*Instance{}
	defer func() {
		for _, i := range both {
			err = errors.Join(err, i.Close())
		}
	}()
	for name := range other {
		i, err := s.StartInstance(ctx, "KONTOR_DRAIN_DELAY="+h.Drain.String(), "KONTOR_LOG_LEVEL=warn")
		if err != nil {
			return RestartReport{}, err
		}
		both[name] = i
	}
	ctx, endProxy := context.WithCancel(ctx)
	defer endProxy()
	proxy, err := startHAProxy(ctx, h.Page, h.Folder, both["a"].Address, both["b"].Address)
	if err != nil {
		return RestartReport{}, err
	}
	v := &restartClients{token: s.Token, address: proxy, served: map[string]time.Time{}}
	if err := v.prepare(ctx); err != nil {
		return RestartReport{}, err
	}
	running, stop := context.WithCancel(ctx)
	var clients sync.WaitGroup
	for n := range h.Clients {
		clients.Go(func() { v.run(running, n) })
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

// other is the instance that serves during a restart of the named one.
var other = map[string]string{"a": "b", "b": "a"}

// restart first waits until the other instance serves.
func (h RollingRestart) restart(ctx context.Context, v *restartClients, name string, i *Instance) error {
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

// restartClients send requests through the proxy, each over its own keep-alive
// connection.
type restartClients struct {
	token, address string
	client         string // the path of a record

	mu     sync.Mutex
	seen   RestartReport
	served map[string]time.Time // when the last request was sent that the named instance served
}

// prepare creates the record, once the proxy knows the instances.
func (v *restartClients) prepare(ctx context.Context) error {
	for ctx.Err() == nil {
		v.request(ctx, &http.Client{}, http.MethodPost, "/rest/client", `{"type":1,"name":"prepared"}`)
		if v.seen.Created != nil {
			v.client = fmt.Sprintf("/rest/client/%d", v.seen.Created[0])
			v.seen = RestartReport{Created: v.seen.Created}
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the proxy serves no request: %w: %s", context.Cause(ctx), strings.Join(v.seen.Failed, "\n"))
}

// run sends requests until the context ends.
func (v *restartClients) run(ctx context.Context, n int) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	httpClient, random := &http.Client{Transport: transport, Timeout: time.Minute}, rand.New(rand.NewPCG(uint64(n), 3))
	complete := context.WithoutCancel(ctx)
	for ctx.Err() == nil {
		switch random.IntN(4) {
		case 0:
			v.request(complete, httpClient, http.MethodPost, "/rest/client", `{"type":1,"name":"new"}`)
		case 1:
			v.request(complete, httpClient, http.MethodPut, v.client, fmt.Sprintf(`{"description":"%d"}`, random.Int()))
		case 2:
			v.request(complete, httpClient, http.MethodGet, v.client, "")
		case 3:
			v.request(complete, httpClient, http.MethodGet, "/rest/client?count_deals=1", "")
		}
		time.Sleep(time.Duration(random.IntN(10)) * time.Millisecond)
	}
}

// request sends a request once and records its outcome.
func (v *restartClients) request(ctx context.Context, httpClient *http.Client, method, path, body string) {
	begun := time.Now()
	by, created, err := v.send(ctx, httpClient, method, path, body)
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

// send returns an error unless the response is complete and successful.
func (v *restartClients) send(ctx context.Context, httpClient *http.Client, method, path, body string) (by string, created int64, err error) {
	got, err := rest.Client{URL: "http://" + v.address, Token: v.token, HTTP: httpClient}.Send(ctx, method, path, body)
	if err == nil && got.Status/100 != 2 {
		err = fmt.Errorf("%d: %s", got.Status, got.Body)
	}
	if err != nil || method != http.MethodPost {
		return got.Header.Get(servedBy), 0, err
	}
	var made struct{ Response struct{ ID int64 } }
	err = json.Unmarshal(got.Body, &made)
	return got.Header.Get(servedBy), made.Response.ID, err
}

// await waits until the named instance serves a request sent after that time.
func (v *restartClients) await(ctx context.Context, name string, since time.Time) error {
	for {
		v.mu.Lock()
		last := v.served[name]
		v.mu.Unlock()
		if last.After(since) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s gets no request: %w", name, context.Cause(ctx))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

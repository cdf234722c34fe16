package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/kontor-crm/kontor/test/rest"
)

// Greed is a load of some tokens that send slow queries over many connections, and of modest ones that
// read a record now and then.
type Greed struct {
	Address     string   // of the service
	Greedy      []string // tokens
	Modest      []string // tokens
	Connections int      // of the greedy ones together; the others have one each
	Lasts       time.Duration
}

// GreedReport is the result. Times are in milliseconds.
type GreedReport struct {
	Slow        map[int]int // responses to the greedy tokens, by status
	Requests    int         // of the modest
	Failed      []string    // of these, those without a 200
	Median, P99 float64     // of the modest
}

// String lists the figures, one per line.
func (r GreedReport) String() string {
	return fmt.Sprintf(`responses to the greedy callers by status: %v
requests of the modest callers: %d
of these failed: %d
median of the modest in ms: %.1f
99 of 100 modest in ms: %.1f
`, r.Slow, r.Requests, len(r.Failed), r.Median, r.P99)
}

// Run sends the requests.
func (o Greed) Run(ctx context.Context) GreedReport {
	r, took := GreedReport{Slow: map[int]int{}}, []float64{}
	end := time.Now().Add(o.Lasts)
	var mu sync.Mutex
	var callers sync.WaitGroup
	for n := range o.Connections {
		callers.Go(func() {
			o.repeat(ctx, end, o.Greedy[n%len(o.Greedy)], slowPath, func(a reply) {
				mu.Lock()
				defer mu.Unlock()
				r.Slow[a.Status]++
			})
		})
	}
	for _, token := range o.Modest {
		callers.Go(func() {
			o.repeat(ctx, end, token, func() string { return fmt.Sprintf("/rest/client/%d", 1+rand.IntN(1000)) }, func(a reply) {
				mu.Lock()
				defer mu.Unlock()
				took = append(took, float64(a.Took.Microseconds())/1000)
				if r.Requests++; a.Status != http.StatusOK {
					r.Failed = append(r.Failed, fmt.Sprintf("%d, %v", a.Status, a.err))
				}
			})
		})
	}
	callers.Wait()
	r.Median, r.P99 = quantile(took, 0.5), quantile(took, 0.99)
	return r
}

// slowPath is that of a query that grows with the list.
func slowPath() string {
	switch letter := func() rune { return rune('a' + rand.IntN(26)) }; rand.IntN(3) {
	case 0:
		return fmt.Sprintf("/rest/invoice-items?name=%c%c%c%c", letter(), letter(), letter(), letter())
	case 1:
		return "/rest/client?sort=description"
	default:
		return fmt.Sprintf("/rest/client?name=%c%c", letter(), letter())
	}
}

// repeat sends one request after the other over one connection, with a pause after each
// that is rejected or quick.
func (o Greed) repeat(ctx context.Context, end time.Time, token string, path func() string, each func(reply)) {
	const pause = 20 * time.Millisecond
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := rest.Client{URL: "http://" + o.Address, Token: token, HTTP: &http.Client{Transport: transport, Timeout: time.Minute}}
	for ctx.Err() == nil && time.Now().Before(end) {
		a := get(ctx, client, path())
		each(a)
		if a.Took < pause {
			time.Sleep(pause)
		}
	}
}

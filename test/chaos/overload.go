package chaos

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/kontor-crm/kontor/test/rest"
)

// Overload sends more requests than a service can serve.
type Overload struct {
	Path  string        // of the requests
	Times float64       // multiple of the capacity
	Lasts time.Duration // duration
}

// OverloadReport is the result of an overload. Times are in milliseconds.
type OverloadReport struct {
	Capacity, Offered, Served float64 // requests a second
	Rejected                  int
	Others                    []string // responses other than 200, 429 and 503, and requests without response

	ServedMedian, ServedP99     float64 // 99th percentile
	RejectedMedian, RejectedP99 float64
	Memory                      float64 // megabytes at most
	SecondsUntilNormal, Allowed float64
}

// String lists the figures, one per line.
func (r OverloadReport) String() string {
	return fmt.Sprintf(`capacity in requests a second: %.0f
offered requests a second: %.0f
served requests a second: %.0f
rejected requests: %d
other responses: %d
median of the served in ms: %.0f
99 of 100 served in ms: %.0f
median of the rejected in ms: %.1f
99 of 100 rejected in ms: %.1f
memory at most in MB: %.0f
seconds until normal: %.1f
`, r.Capacity, r.Offered, r.Served, r.Rejected, len(r.Others), r.ServedMedian, r.ServedP99, r.RejectedMedian, r.RejectedP99, r.Memory, r.SecondsUntilNormal)
}

// reply is a response, or why there is none.
type reply struct {
	rest.Response

	err error
}

// get requests the path, and does not keep the body.
func get(ctx context.Context, of rest.Client, path string) reply {
	got, err := of.Send(ctx, http.MethodGet, path, nil)
	got.Body = nil
	return reply{got, err}
}

// normal is how much longer than before a request may take after the overload, and
// longestReturn how long the return to that may take.
const (
	normal        = 20 * time.Millisecond
	longestReturn = 20 * time.Second
)

// Run measures the capacity, sends more requests, and waits for the return to
// normal. inFlight is the in-flight limit of the service.
func (o Overload) Run(ctx context.Context, s *Site, inFlight int) (r OverloadReport, err error) {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 4096}}
	defer client.CloseIdleConnections()
	alone := o.alone(ctx, s, client)
	r.Capacity = o.capacity(ctx, s, client)
	all := o.send(ctx, s, client, r.Capacity*o.Times)
	end := time.Now()
	for o.alone(ctx, s, client) > 2*alone+normal && time.Since(end) < longestReturn {
		time.Sleep(10 * time.Millisecond)
	}
	r.SecondsUntilNormal = time.Since(end).Seconds()
	r.count(all, o.Lasts)
	// The time that inFlight requests take at full capacity, doubled.
	r.Allowed = 2*1000*float64(inFlight)/r.Capacity + 500
	r.Memory, err = s.PeakMemory()
	return r, err
}

// alone is the duration of a request without load.
func (o Overload) alone(ctx context.Context, s *Site, client *http.Client) time.Duration {
	var took []time.Duration
	for range 9 {
		took = append(took, get(ctx, s.client(client), o.Path).Took)
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// capacity is the number of requests per second served to clients that wait for
// each response.
func (o Overload) capacity(ctx context.Context, s *Site, client *http.Client) float64 {
	const clients, spell = 16, 2 * time.Second
	var served [clients]int
	var asking sync.WaitGroup
	for n := range clients {
		asking.Go(func() {
			for begun := time.Now(); time.Since(begun) < spell; {
				if get(ctx, s.client(client), o.Path).Status == http.StatusOK {
					served[n]++
				}
			}
		})
	}
	asking.Wait()
	total := 0
	for _, n := range served {
		total += n
	}
	return float64(total) / spell.Seconds()
}

// send sends requests at a rate, without waiting for responses.
func (o Overload) send(ctx context.Context, s *Site, client *http.Client, rate float64) []reply {
	var mu sync.Mutex
	var all []reply
	var asking sync.WaitGroup
	begun := time.Now()
	for sent := 0.0; time.Since(begun) < o.Lasts; sent++ {
		if early := time.Duration(sent/rate*float64(time.Second)) - time.Since(begun); early > 0 {
			time.Sleep(early)
		}
		asking.Go(func() {
			a := get(ctx, s.client(client), o.Path)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, a)
		})
	}
	asking.Wait()
	return all
}

func (r *OverloadReport) count(all []reply, lasts time.Duration) {
	var served, rejected []float64
	for _, a := range all {
		took := float64(a.Took.Microseconds()) / 1000
		switch {
		case a.err != nil:
			r.Others = append(r.Others, a.err.Error())
		case a.Status == http.StatusOK:
			served = append(served, took)
		case a.Status == http.StatusServiceUnavailable || a.Status == http.StatusTooManyRequests:
			rejected = append(rejected, took)
		default:
			r.Others = append(r.Others, http.StatusText(a.Status))
		}
	}
	r.Offered, r.Served, r.Rejected = float64(len(all))/lasts.Seconds(), float64(len(served))/lasts.Seconds(), len(rejected)
	r.ServedMedian, r.ServedP99 = quantile(served, 0.5), quantile(served, 0.99)
	r.RejectedMedian, r.RejectedP99 = quantile(rejected, 0.5), quantile(rejected, 0.99)
}

// quantile returns the q-quantile of the numbers.
func quantile(numbers []float64, q float64) float64 {
	if len(numbers) == 0 {
		return 0
	}
	slices.Sort(numbers)
	return numbers[int(float64(len(numbers)-1)*q)]
}

// Findings are descriptions of what is wrong.
type Findings []string

func (f *Findings) add(found bool, format string, args ...any) { //nolint:revive // an assertion
	if found {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// Wrong returns the violations that do not depend on the speed of the machine.
func (r OverloadReport) Wrong() (wrong Findings) {
	wrong.add(len(r.Others) > 0, "%d other responses, such as %v", len(r.Others), r.Others[:min(len(r.Others), 1)])
	wrong.add(r.Rejected == 0, "nothing was rejected")
	wrong.add(r.Served == 0, "nothing was served")
	wrong.add(r.Memory > 150, "it held %.0f MB", r.Memory)
	wrong.add(r.SecondsUntilNormal >= longestReturn.Seconds(), "it was not back to normal after %s", longestReturn)
	return wrong
}

// Late returns the violated time limits, on an otherwise idle machine.
func (r OverloadReport) Late() (late Findings) {
	late.add(r.Served < r.Capacity/2, "%.0f requests a second were served, of %.0f it can serve", r.Served, r.Capacity)
	late.add(r.ServedP99 > r.Allowed, "served requests took up to %.0f ms, want at most %.0f", r.ServedP99, r.Allowed)
	late.add(r.RejectedMedian > 100, "rejected requests took %.0f ms", r.RejectedMedian)
	late.add(r.RejectedP99 > 1000, "rejected requests took up to %.0f ms", r.RejectedP99)
	late.add(r.SecondsUntilNormal > 5, "it was back to normal after %.1f s", r.SecondsUntilNormal)
	return late
}

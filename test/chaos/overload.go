package chaos

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Overload asks for more than a service can serve.
type Overload struct {
	Path  string        // what is asked for
	Times float64       // how many times what it can serve
	Lasts time.Duration // for how long
}

// Rush is what became of an overload. Times are in milliseconds.
type Rush struct {
	Capacity, Offered, Served float64 // requests a second
	Refused                   int
	Others                    []string // answers that are neither 200, 429 nor 503, and requests without one

	ServedMedian, ServedMost    float64 // of 99 in 100
	RefusedMedian, RefusedMost  float64
	Memory                      float64 // megabytes at most
	SecondsUntilNormal, Allowed float64
}

// String is the figures, one in a line.
func (r Rush) String() string {
	return fmt.Sprintf(`capacity in requests a second: %.0f
offered requests a second: %.0f
served requests a second: %.0f
refused requests: %d
other answers: %d
median of the served in ms: %.0f
99 of 100 served in ms: %.0f
median of the refused in ms: %.1f
99 of 100 refused in ms: %.1f
memory at most in MB: %.0f
seconds until normal: %.1f
`, r.Capacity, r.Offered, r.Served, r.Refused, len(r.Others), r.ServedMedian, r.ServedMost, r.RefusedMedian, r.RefusedMost, r.Memory, r.SecondsUntilNormal)
}

// reply is an answer and how long it took.
type reply struct {
	status int
	took   time.Duration
	err    error
}

// normal is how much longer than before a request may take when all is as it was,
// and longestReturn how long that may take.
const (
	normal        = 20 * time.Millisecond
	longestReturn = 20 * time.Second
)

// Run finds out what the service can serve, asks for more, and waits until all is
// as it was. inside is how many requests it works on at once.
func (o Overload) Run(ctx context.Context, s *Site, inside int) (r Rush, err error) {
	caller := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 4096}}
	defer caller.CloseIdleConnections()
	alone := o.alone(ctx, s, caller)
	r.Capacity = o.capacity(ctx, s, caller)
	all := o.rush(ctx, s, caller, r.Capacity*o.Times)
	end := time.Now()
	for o.alone(ctx, s, caller) > 2*alone+normal && time.Since(end) < longestReturn {
		time.Sleep(10 * time.Millisecond)
	}
	r.SecondsUntilNormal = time.Since(end).Seconds()
	r.count(all, o.Lasts)
	// Those inside wait for each other, and then for nobody: twice that is generous.
	r.Allowed = 2*1000*float64(inside)/r.Capacity + 500
	r.Memory, err = s.PeakMemory()
	return r, err
}

// alone is how long a request takes while there are no others.
func (o Overload) alone(ctx context.Context, s *Site, caller *http.Client) time.Duration {
	var took []time.Duration
	for range 9 {
		took = append(took, s.ask(ctx, caller, o.Path).took)
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// capacity is how many requests a second are served to callers who wait for each.
func (o Overload) capacity(ctx context.Context, s *Site, caller *http.Client) float64 {
	const callers, spell = 16, 2 * time.Second
	var served [callers]int
	var asking sync.WaitGroup
	for n := range callers {
		asking.Go(func() {
			for begun := time.Now(); time.Since(begun) < spell; {
				if s.ask(ctx, caller, o.Path).status == http.StatusOK {
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

// rush asks so often in a second, whatever becomes of what was asked before.
func (o Overload) rush(ctx context.Context, s *Site, caller *http.Client, rate float64) []reply {
	var mu sync.Mutex
	var all []reply
	var asking sync.WaitGroup
	begun := time.Now()
	for sent := 0.0; time.Since(begun) < o.Lasts; sent++ {
		if early := time.Duration(sent/rate*float64(time.Second)) - time.Since(begun); early > 0 {
			time.Sleep(early)
		}
		asking.Go(func() {
			a := s.ask(ctx, caller, o.Path)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, a)
		})
	}
	asking.Wait()
	return all
}

// ask reads the answer to a request for the path.
func (s *Site) ask(ctx context.Context, caller *http.Client, path string) reply {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Address+path, nil)
	if err != nil {
		return reply{err: err}
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	begun := time.Now()
	got, err := caller.Do(r)
	if err != nil {
		return reply{err: err}
	}
	defer got.Body.Close()
	_, err = io.Copy(io.Discard, got.Body)
	return reply{got.StatusCode, time.Since(begun), err}
}

func (r *Rush) count(all []reply, lasts time.Duration) {
	var served, refused []float64
	for _, a := range all {
		took := float64(a.took.Microseconds()) / 1000
		switch {
		case a.err != nil:
			r.Others = append(r.Others, a.err.Error())
		case a.status == http.StatusOK:
			served = append(served, took)
		case a.status == http.StatusServiceUnavailable || a.status == http.StatusTooManyRequests:
			refused = append(refused, took)
		default:
			r.Others = append(r.Others, http.StatusText(a.status))
		}
	}
	r.Offered, r.Served, r.Refused = float64(len(all))/lasts.Seconds(), float64(len(served))/lasts.Seconds(), len(refused)
	r.ServedMedian, r.ServedMost = share(served, 0.5), share(served, 0.99)
	r.RefusedMedian, r.RefusedMost = share(refused, 0.5), share(refused, 0.99)
}

// share is what such a share of the numbers does not exceed.
func share(numbers []float64, of float64) float64 {
	if len(numbers) == 0 {
		return 0
	}
	slices.Sort(numbers)
	return numbers[int(float64(len(numbers)-1)*of)]
}

// Findings are what should not have been, in words.
type Findings []string

func (f *Findings) add(found bool, format string, args ...any) { //nolint:revive // what was found or not is all there is to say
	if found {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// Wrong is what an overload should not have come to, in words.
func (r Rush) Wrong() (wrong Findings) {
	wrong.add(len(r.Others) > 0, "%d other answers, such as %v", len(r.Others), r.Others[:min(len(r.Others), 1)])
	wrong.add(r.Refused == 0, "nothing was refused")
	wrong.add(r.Served == 0, "nothing was served")
	wrong.add(r.Memory > 150, "it held %.0f MB", r.Memory)
	wrong.add(r.SecondsUntilNormal >= longestReturn.Seconds(), "it was not back to normal after %s", longestReturn)
	return wrong
}

// Late is what took too long, in words, on a machine that has nothing else to do.
func (r Rush) Late() (late Findings) {
	late.add(r.Served < r.Capacity/2, "%.0f requests a second were served, of %.0f it can serve", r.Served, r.Capacity)
	late.add(r.ServedMost > r.Allowed, "served requests took up to %.0f ms, want at most %.0f", r.ServedMost, r.Allowed)
	late.add(r.RefusedMedian > 100, "refused requests took %.0f ms", r.RefusedMedian)
	late.add(r.RefusedMost > 1000, "refused requests took up to %.0f ms", r.RefusedMost)
	late.add(r.SecondsUntilNormal > 5, "it was back to normal after %.1f s", r.SecondsUntilNormal)
	return late
}

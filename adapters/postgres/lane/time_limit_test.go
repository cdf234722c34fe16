package lane

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/ports/company"
)

// simulation is of callers of one company. Each sends a request, which holds a lane for the time of a
// request, and the next one after the gap.
type simulation struct {
	queue        *Queue
	clock        *clockOfQueue
	of           company.Code
	request, gap time.Duration
	callers      []simulatedCaller
	timers       []simulatedTimer
}

type simulatedCaller struct {
	waits *waiter
	holds *Lane
	until time.Time // it holds the lane, or sends nothing
}

type simulatedTimer struct {
	at   time.Time
	call func()
}

func (s *simulation) setTimer(after time.Duration, call func()) {
	s.timers = append(s.timers, simulatedTimer{s.clock.at.Add(after), call})
}

// run returns how many lanes the company has held on average.
func (s *simulation) run(duration time.Duration) float64 {
	const step = 50 * time.Microsecond
	var held time.Duration
	for end := s.clock.at.Add(duration); s.clock.at.Before(end); s.clock.at = s.clock.at.Add(step) {
		s.callTimers()
		for i := range s.callers {
			s.continueCaller(&s.callers[i])
		}
		held += step * time.Duration(s.queue.held[s.of])
	}
	return held.Seconds() / duration.Seconds()
}

func (s *simulation) callTimers() {
	due := func(t simulatedTimer) bool { return !t.at.After(s.clock.at) }
	for _, t := range s.timers {
		if due(t) {
			t.call()
		}
	}
	s.timers = slices.DeleteFunc(s.timers, due)
}

func (s *simulation) continueCaller(c *simulatedCaller) {
	now := s.clock.at
	switch {
	case now.Before(c.until):
		return
	case c.holds != nil:
		s.queue.Free(c.holds)
		*c = simulatedCaller{until: now.Add(s.gap)}
	case c.waits == nil:
		c.waits = s.queue.ask(s.of)
	}
	if c.waits == nil {
		return
	}
	if l := taken(c.waits); l != nil {
		*c = simulatedCaller{holds: l, until: now.Add(s.request)}
	}
}

// contract 14.41
func TestTimeOfLanesIsLimitedBesideAnotherCompany(t *testing.T) {
	t.Parallel()
	const long, short = shortWait, time.Millisecond
	for name, c := range map[string]struct {
		of           company.Code
		share        int
		request, gap time.Duration
		callers      int
		isAlone      bool
		want         float64
	}{
		"one caller":                   {of: "busy", share: 4, request: short, gap: short, callers: 1, want: 0.5},
		"two callers":                  {of: "busy", share: 4, request: short, gap: short, callers: 2, want: quickUse},
		"callers of whom most wait":    {of: "busy", share: 4, request: short, gap: short, callers: 16, want: quickUse},
		"the default company":          {share: 4, request: short, gap: short, callers: 16, want: quickUse},
		"two lanes for short requests": {of: "busy", share: 8, request: short, gap: short, callers: 16, want: 2 * quickUse},
		"a company alone":              {of: "busy", share: 4, request: short, callers: 16, isAlone: true, want: 4},
		"the default company alone":    {share: 4, request: short, callers: 16, isAlone: true, want: 16},
		"slow requests":                {of: "busy", share: 4, request: long, callers: 1, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			q, clock := newQueue(8, c.share)
			s := simulation{queue: q, clock: clock, of: c.of, request: c.request, gap: c.gap, callers: make([]simulatedCaller, c.callers)}
			q.after = s.setTimer
			if !c.isAlone {
				q.note("other")
			}
			if got := s.run(2 * time.Second); math.Abs(got-c.want) > 0.05*c.want {
				t.Errorf("the company holds %.2f lanes on average, want %.2f", got, c.want)
			}
		})
	}
}

// contract 14.41
func TestCompanyThatPausesDelaysNoOther(t *testing.T) {
	t.Parallel()
	q, clock := newQueue(1, 4)
	s := simulation{queue: q, clock: clock, of: "busy", request: time.Millisecond, callers: make([]simulatedCaller, 16)}
	q.after = s.setTimer
	q.note("other")
	s.run(time.Second)
	for range 100 {
		if s.run(time.Millisecond); q.held["busy"] == 0 {
			break
		}
	}
	if taken(q.ask("other")) == nil {
		t.Error("another company waits while a busy one pauses")
	}
}

// contract 14.41
func TestCompanyDoesNotPauseForItsTimeAlone(t *testing.T) {
	t.Parallel()
	q, clock := newQueue(8, 4)
	s := simulation{queue: q, clock: clock, of: "busy", request: time.Millisecond, callers: make([]simulatedCaller, 16)}
	q.after = s.setTimer
	s.run(time.Second)
	q.note("other")
	if got := s.run(100 * time.Millisecond); got < quickUse {
		t.Errorf("when another company comes, the company holds %.2f lanes on average, want at least %.2f", got, quickUse)
	}
}

// contract 14.41
func TestCompanyMaySpendSomeTimeAtOnce(t *testing.T) {
	t.Parallel()
	var times timeLimit
	times.lanes = 1
	now := time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC)
	spend := func() time.Duration { return times.spend("busy", time.Millisecond, now) }
	for i := range 10 {
		if pause := spend(); pause > 0 || times.mustPause("busy", now) {
			t.Fatalf("the company pauses for %s after %d ms", pause, i+1)
		}
	}
	pause := spend()
	if want := time.Second / 600; pause.Round(time.Microsecond) != want.Round(time.Microsecond) {
		t.Fatalf("the company pauses for %s after 11 ms, want %s", pause, want)
	}
	if !times.mustPause("busy", now.Add(pause-10*time.Microsecond)) || times.mustPause("busy", now.Add(pause)) || times.mustPause("other", now) {
		t.Error("the company does not pause for as long as it says, or another one pauses")
	}
}

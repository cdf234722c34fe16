package scale

import (
	"container/heap"
	"slices"
)

// clock runs events in the order of their times, in seconds.
type clock struct {
	now    float64
	events events
	count  int
}

type event struct {
	at    float64
	order int // of two events at the same time
	run   func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// after runs the function when the time has passed.
func (c *clock) after(seconds float64, run func()) {
	c.count++
	heap.Push(&c.events, event{c.now + seconds, c.count, run})
}

// runUntil runs the events up to that time.
func (c *clock) runUntil(end float64) {
	for len(c.events) > 0 && c.events[0].at <= end {
		e := heap.Pop(&c.events).(event)
		c.now = e.at
		e.run()
	}
	c.now = end
}

// station is a number of servers, such as processors, with one queue.
type station struct {
	clock   *clock
	name    string
	servers int
	busy    int
	worked  float64 // seconds of all servers
	queue   []visit
}

type visit struct {
	seconds float64
	done    func()
}

// visit is served for the time, first come, first served; then done runs.
func (s *station) visit(seconds float64, done func()) {
	if s.busy == s.servers {
		s.queue = append(s.queue, visit{seconds, done})
		return
	}
	s.serve(visit{seconds, done})
}

func (s *station) serve(v visit) {
	s.busy++
	s.clock.after(v.seconds, func() {
		s.busy--
		s.worked += v.seconds
		if len(s.queue) > 0 {
			next := s.queue[0]
			s.queue = s.queue[1:]
			s.serve(next)
		}
		v.done()
	})
}

// flusher is the log of a node: one flush serves all commits that came before it began.
type flusher struct {
	clock   *clock
	seconds float64
	flushes bool
	waiting []func()
}

func (f *flusher) commit(done func()) {
	f.waiting = append(f.waiting, done)
	if !f.flushes {
		f.flush()
	}
}

func (f *flusher) flush() {
	served := f.waiting
	f.waiting, f.flushes = nil, true
	f.clock.after(f.seconds, func() {
		f.flushes = false
		if len(f.waiting) > 0 {
			f.flush()
		}
		for _, done := range served {
			done()
		}
	})
}

// lane is a group of connections with one queue.
type lane struct {
	name  string
	size  int
	all   []*connection
	idle  []*connection // the one that was used last comes last
	queue []func(*connection)
	// needed are the seconds for which connections are held, without those spent in queues:
	// a lane that is full because its node is full is not the bottleneck.
	needed float64
}

// connection keeps the statements of some companies prepared.
type connection struct {
	companies []int // the one that used it last comes last
	touched   map[int]struct{}
}

func newLane(name string, size int) *lane {
	l := &lane{name: name, size: size}
	for range size {
		l.all = append(l.all, &connection{touched: map[int]struct{}{}})
	}
	l.idle = slices.Clone(l.all)
	return l
}

// acquire gives the function a connection: of those that are idle the one that the company
// was the last to use, or else the one that was used last.
func (l *lane) acquire(company int, use func(*connection)) {
	if len(l.idle) == 0 {
		l.queue = append(l.queue, use)
		return
	}
	at := len(l.idle) - 1
	for i, c := range l.idle {
		if n := len(c.companies); n > 0 && c.companies[n-1] == company {
			at = i
		}
	}
	c := l.idle[at]
	l.idle = slices.Delete(l.idle, at, at+1)
	use(c)
}

func (l *lane) release(c *connection) {
	if len(l.queue) > 0 {
		next := l.queue[0]
		l.queue = l.queue[1:]
		next(c)
		return
	}
	l.idle = append(l.idle, c)
}

// isWorn reports whether the connection is replaced before it serves the company.
func (c *connection) isWorn(company, limit int) bool {
	_, isKnown := c.touched[company]
	return !isKnown && limit > 0 && len(c.touched) >= limit
}

// replace makes it a new connection.
func (c *connection) replace() { *c = connection{touched: map[int]struct{}{}} }

// bind makes the connection the company's. isSame is whether it was already, hasPrepared
// whether the company's statements are still prepared.
func (c *connection) bind(company, kept int) (isSame, hasPrepared bool) {
	c.touched[company] = struct{}{}
	at := slices.Index(c.companies, company)
	isSame = at >= 0 && at == len(c.companies)-1
	if at >= 0 {
		c.companies = slices.Delete(c.companies, at, at+1)
	} else if len(c.companies) == kept {
		c.companies = slices.Delete(c.companies, 0, 1)
	}
	c.companies = append(c.companies, company)
	return isSame, at >= 0
}

package lane

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/observe"
)

// DefaultCompany is the code of the company that has connections of its own. Instead of a lane of the
// queue it gets a permission to use one more of them, as a Lane that no other company gets.
const DefaultCompany company.Code = ""

// Queue gives lanes to companies. It is safe for concurrent use.
type Queue struct {
	share int // of the lanes, which one company may hold while no other one uses any
	now   func() time.Time
	after func(time.Duration, func()) // calls the function later

	mu      sync.Mutex
	lanes   []*Lane
	held    map[company.Code]int
	turns   []*turn // of companies that wait, the next one first
	holders map[*Lane]holder
	last    user      // that has asked for a lane
	other   time.Time // when another one had asked before

	quickTime timeLimit // that companies have spent beside others
}

// holder is the company that holds a lane, and since when.
type holder struct {
	of    company.Code
	since time.Time
}

// turn is that of a company: its requests wait in the order in which they came.
type turn struct {
	of      company.Code
	waiting []*waiter
}

type waiter struct {
	given chan *Lane
	since time.Time
	node  string
}

// shortWait is how long a company waits before it gets whichever lane is free. One that uses no
// lane does not wait while half of them are free: its statements have to be prepared on whichever
// it gets. It is also how long a request holds a lane before it counts as a slow one, which another
// request of its company need not wait for.
const shortWait = 10 * time.Millisecond

// longWait is how long a company waits for a lane that it uses, if no slow request holds that, and
// for a lane to its node, before the connection of another one is replaced: connecting and preparing
// some dozens of statements takes as long.
const longWait = 5 * shortWait

// NewQueue returns a queue for that many lanes. One company may hold share of them while no other one
// uses any.
func NewQueue(lanes, share int) *Queue {
	q := &Queue{
		share: share, now: time.Now, after: func(d time.Duration, f func()) { time.AfterFunc(d, f) },
		held: map[company.Code]int{}, holders: map[*Lane]holder{}, quickTime: timeLimit{lanes: max(share/4, 1)},
	}
	for i := range lanes {
		q.lanes = append(q.lanes, &Lane{Number: i, isFree: true})
	}
	return q
}

// Lanes returns all lanes, by number.
func (q *Queue) Lanes() []*Lane { return q.lanes }

// Take waits for a lane, to use the company's tables by that node; the empty one is the server of the
// database URL. The caller has to free the lane. If the context ends before, it returns a
// fault.Unavailable.
func (q *Queue) Take(ctx context.Context, of company.Code, node string) (*Lane, error) {
	if observe.From(ctx) != nil { // and not background work, which companies have that are not in use
		q.note(of)
	}
	w := q.join(of, node)
	select {
	case l := <-w.given: // as a rule
		return l, nil
	default:
	}
	attempts := time.NewTicker(shortWait)
	defer attempts.Stop()
	for {
		select {
		case l := <-w.given:
			return l, nil
		case <-attempts.C:
			q.serve(of)
		case <-ctx.Done():
			q.abandon(of, w)
			return nil, fault.New(fault.Unavailable, "the service is busy with other requests; try again").WithCause(ctx.Err())
		}
	}
}

func (q *Queue) note(of company.Code) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.last.company != of {
		q.other = q.last.last
	}
	q.last = user{company: of, last: q.now()}
}

func (q *Queue) join(of company.Code, node string) *waiter {
	w := &waiter{given: make(chan *Lane, 1), since: q.now(), node: node}
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.turns, func(t *turn) bool { return t.of == of })
	if i < 0 {
		i = len(q.turns)
		q.turns = append(q.turns, &turn{of: of})
	}
	q.turns[i].waiting = append(q.turns[i].waiting, w)
	q.serveTurn(q.turns[i])
	return w
}

// serve gives a free lane to the company, if it has waited for long enough.
func (q *Queue) serve(of company.Code) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.serveCompany(of)
}

func (q *Queue) serveCompany(of company.Code) {
	if i := slices.IndexFunc(q.turns, func(t *turn) bool { return t.of == of }); i >= 0 {
		q.serveTurn(q.turns[i])
	}
}

// serveTurn gives the free lane that suits the company best to its first request.
func (q *Queue) serveTurn(t *turn) {
	now := q.now()
	if !q.mayHoldMore(t.of, now) {
		return
	}
	if t.of == DefaultCompany {
		q.give(&Lane{}, t)
		return
	}
	first := q.firstOf(t, now)
	var best *Lane
	least := maxUsers + 1
	for _, l := range q.lanes {
		if !l.isFree {
			continue
		}
		if d := l.distance(t.of, first.node, now); d < least && q.suits(l, d, first) {
			best, least = l, d
		}
	}
	if best != nil {
		q.give(best, t)
	}
}

// firstRequest is the first waiting request of a turn. Nothing in it depends on a lane, so that it is
// looked up once for all of them.
type firstRequest struct {
	of     company.Code
	node   string
	now    time.Time
	waited time.Duration
	isUser bool // its company uses a lane
}

func (q *Queue) firstOf(t *turn, now time.Time) firstRequest {
	first := t.waiting[0]
	return firstRequest{of: t.of, node: first.node, now: now, waited: now.Sub(first.since), isUser: q.isUser(t.of, first.node)}
}

// suits reports whether the request may get the lane, at that distance from its company: the
// company uses it, or there is room for another user, or the request has waited for long enough,
// or its company uses no lane and many are free. While there is a lane to its node, one to another
// node suits only after a longer time. A company that uses a lane already waits longer for it, and
// needs more room on another one.
func (q *Queue) suits(l *Lane, distance int, r firstRequest) bool {
	switch {
	case l.isElsewhere(r.node) && slices.ContainsFunc(q.lanes, func(other *Lane) bool { return other.isTo(r.node) }):
		return r.waited >= longWait
	case r.isUser:
		return distance < fewUsers || l.isUser(r.of, r.node) ||
			r.waited >= longWait || r.waited >= shortWait && !q.awaitsQuickRequest(r.of, r.node, r.now)
	}
	return distance < maxUsers || r.waited >= shortWait || q.isHalfFree()
}

// awaitsQuickRequest reports whether a request that is not slow holds a lane that the company uses,
// and so will free it soon.
func (q *Queue) awaitsQuickRequest(of company.Code, node string, now time.Time) bool {
	return slices.ContainsFunc(q.lanes, func(l *Lane) bool {
		return l.isUser(of, node) && now.Sub(q.holders[l].since) < shortWait
	})
}

// isUser reports whether the company uses a lane by that node.
func (q *Queue) isUser(of company.Code, node string) bool {
	return slices.ContainsFunc(q.lanes, func(l *Lane) bool { return l.isUser(of, node) })
}

// mayHoldMore reports whether the company may hold one more lane. Alone it may hold the share, and
// the default company all of its connections. While others use lanes, it is half of the share, and a
// quarter for requests that are not slow, if the company has time left for these: they take little
// longer one after the other, because statements that run at the same time delay each other, on
// whichever connection.
func (q *Queue) mayHoldMore(c company.Code, now time.Time) bool {
	if q.isAlone(now) {
		return c == DefaultCompany || q.held[c] < q.share
	}
	return q.held[c] < max(q.share/2, 1) && q.quick(c, now) < q.quickTime.lanes && !q.quickTime.mustPause(c, now)
}

// isAlone reports whether only one company uses lanes.
func (q *Queue) isAlone(now time.Time) bool { return now.Sub(q.other) >= usesUntil }

// quick is how many lanes the company holds for requests that are not slow yet.
func (q *Queue) quick(c company.Code, now time.Time) (n int) {
	for _, h := range q.holders {
		if h.of == c && now.Sub(h.since) < shortWait {
			n++
		}
	}
	return n
}

func (q *Queue) isHalfFree() bool {
	free := 0
	for _, l := range q.lanes {
		if l.isFree {
			free++
		}
	}
	return 2*free >= len(q.lanes)
}

// abandon removes a request that is not wanted any more, or returns the lane that it has been
// given meanwhile.
func (q *Queue) abandon(of company.Code, w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case l := <-w.given:
		q.release(l)
		return
	default:
	}
	for _, t := range q.turns {
		if t.of == of {
			t.waiting = slices.DeleteFunc(t.waiting, func(other *waiter) bool { return other == w })
		}
	}
	q.turns = slices.DeleteFunc(q.turns, func(t *turn) bool { return len(t.waiting) == 0 })
}

// give gives the lane to the first request of the turn, whose company is the last one now.
func (q *Queue) give(l *Lane, t *turn) {
	w := t.waiting[0]
	l.isFree = false
	now := q.now()
	l.use(t.of, w.node, now)
	q.holders[l] = holder{t.of, now}
	q.held[t.of]++
	t.waiting = t.waiting[1:]
	q.turns = slices.DeleteFunc(q.turns, func(other *turn) bool { return other == t })
	if len(t.waiting) > 0 {
		q.turns = append(q.turns, t)
	}
	w.given <- l
}

// Free returns a lane to the queue.
func (q *Queue) Free(l *Lane) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.release(l)
}

// release serves the first turn that the lane suits.
func (q *Queue) release(l *Lane) {
	h, now := q.holders[l], q.now()
	delete(q.holders, l)
	if q.held[h.of]--; q.held[h.of] == 0 {
		delete(q.held, h.of)
	}
	q.spend(h, now)
	if h.of == DefaultCompany {
		q.serveCompany(h.of)
		return
	}
	l.isFree = true
	isServed := func(t *turn) bool {
		if t.of == DefaultCompany || !q.mayHoldMore(t.of, now) {
			return false
		}
		first := q.firstOf(t, now)
		return q.suits(l, l.distance(first.of, first.node, now), first)
	}
	if i := slices.IndexFunc(q.turns, isServed); i >= 0 {
		q.serveTurn(q.turns[i]) // there may be a better one, now that the company may hold it
	}
}

// spend counts the time for which a company has held a lane for a short request beside others. If the
// company has to pause, it is served after the pause. Slow requests have a lane besides that of the
// short ones.
func (q *Queue) spend(h holder, now time.Time) {
	took := now.Sub(h.since)
	if took >= shortWait || q.isAlone(now) {
		return
	}
	if pause := q.quickTime.spend(h.of, took, now); pause > 0 {
		q.after(pause, func() { q.serve(h.of) })
	}
}

// Waiting returns how many requests of companies wait, without those of the default one.
func (q *Queue) Waiting() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.turns {
		if t.of != DefaultCompany {
			n += len(t.waiting)
		}
	}
	return n
}

// LanesTo returns the lanes whose connections are to the node, as far as is known.
func (q *Queue) LanesTo(node string) (all []*Lane) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lanes {
		if l.isTo(node) {
			all = append(all, l)
		}
	}
	return all
}

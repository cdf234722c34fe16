package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/company"
)

// laneQueue gives lanes to companies.
type laneQueue struct {
	share int // of the lanes, which one company may hold while no other one uses any
	now   func() time.Time

	mu      sync.Mutex
	lanes   []*lane
	held    map[company.Code]int
	turns   []*turn // of companies that wait, the next one first
	holders map[*lane]company.Code
	last    laneUser  // that has asked for a lane
	other   time.Time // when another one had asked before
}

// turn is that of a company: its requests wait in the order in which they came.
type turn struct {
	of      company.Code
	waiting []*waiter
}

type waiter struct {
	given chan *lane
	since time.Time
}

// patience is how long a company waits for one of the lanes that it uses, before it gets
// whichever is free. While half of the lanes are free it does not wait: preparing its statements
// again takes less time.
const patience = 10 * time.Millisecond

func newLaneQueue(lanes []*lane, share int) laneQueue {
	return laneQueue{lanes: lanes, share: share, now: time.Now, held: map[company.Code]int{}, holders: map[*lane]company.Code{}}
}

// take waits for a lane. The caller has to free it.
func (q *laneQueue) take(ctx context.Context, of company.Code) (*lane, error) {
	w := q.join(of)
	select {
	case l := <-w.given: // as a rule
		return l, nil
	default:
	}
	impatient := time.NewTimer(patience)
	defer impatient.Stop()
	for {
		select {
		case l := <-w.given:
			return l, nil
		case <-impatient.C:
			q.serve(of)
		case <-ctx.Done():
			q.abandon(of, w)
			return nil, fault.New(fault.Unavailable, "the service is busy with other requests; try again").Because(ctx.Err())
		}
	}
}

// join queues a request, and serves it if that is possible.
func (q *laneQueue) join(of company.Code) *waiter {
	w := &waiter{given: make(chan *lane, 1), since: q.now()}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.last.company != of {
		q.other = q.last.last
	}
	q.last = laneUser{of, w.since}
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
func (q *laneQueue) serve(of company.Code) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.IndexFunc(q.turns, func(t *turn) bool { return t.of == of }); i >= 0 {
		q.serveTurn(q.turns[i])
	}
}

// serveTurn gives the free lane that suits the company best to its first request.
func (q *laneQueue) serveTurn(t *turn) {
	var best *lane
	least := maxUsers + 1
	for _, l := range q.lanes {
		if d := l.distance(t.of, q.now()); l.isFree && d < least && q.suits(l, t) {
			best, least = l, d
		}
	}
	if best != nil {
		q.give(best, t)
	}
}

// suits reports whether the turn may get the lane: its company uses it, or there is room for
// another user, or many lanes are free, or the request has waited for long enough.
func (q *laneQueue) suits(l *lane, t *turn) bool {
	now := q.now()
	if q.held[t.of] >= q.shareAt(now) {
		return false
	}
	return l.isUser(t.of) || l.distance(t.of, now) < maxUsers || q.isHalfFree() || now.Sub(t.waiting[0].since) >= patience
}

// shareAt is how many lanes one company may hold: half of the share while others use lanes,
// because statements that run at the same time delay each other, on whichever connection.
func (q *laneQueue) shareAt(now time.Time) int {
	if now.Sub(q.other) < usesUntil {
		return max(q.share/2, 1)
	}
	return q.share
}

func (q *laneQueue) isHalfFree() bool { return 2*len(q.holders) <= len(q.lanes) }

// abandon removes a request that is not wanted any more, or returns the lane that it has been
// given meanwhile.
func (q *laneQueue) abandon(of company.Code, w *waiter) {
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
func (q *laneQueue) give(l *lane, t *turn) {
	l.isFree = false
	l.use(t.of, q.now())
	q.holders[l] = t.of
	q.held[t.of]++
	w := t.waiting[0]
	t.waiting = t.waiting[1:]
	q.turns = slices.DeleteFunc(q.turns, func(other *turn) bool { return other == t })
	if len(t.waiting) > 0 {
		q.turns = append(q.turns, t)
	}
	w.given <- l
}

// free returns a lane.
func (q *laneQueue) free(l *lane) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.release(l)
}

// release gives the lane to the first turn that it suits.
func (q *laneQueue) release(l *lane) {
	of := q.holders[l]
	delete(q.holders, l)
	if q.held[of]--; q.held[of] == 0 {
		delete(q.held, of)
	}
	l.isFree = true
	if i := slices.IndexFunc(q.turns, func(t *turn) bool { return q.suits(l, t) }); i >= 0 {
		q.give(l, q.turns[i])
	}
}

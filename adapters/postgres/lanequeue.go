package postgres

import (
	"context"
	"slices"
	"sync"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/company"
)

// laneQueue gives lanes to companies.
type laneQueue struct {
	mu      sync.Mutex
	lanes   []*lane
	share   int // of the lanes, which one company may hold
	held    map[company.Code]int
	turns   []*turn // of companies that wait, the next one first
	holders map[*lane]company.Code
	clock   int
}

// turn is that of a company: its requests wait in the order in which they came.
type turn struct {
	of      company.Code
	waiting []*waiter
	passed  int // how often a lane went to a later company
}

type waiter struct{ given chan *lane }

// patience is how often a company's turn may be passed over for one that has used the lane
// before.
const patience = 8

func newLaneQueue(lanes []*lane, share int) laneQueue {
	return laneQueue{lanes: lanes, share: share, held: map[company.Code]int{}, holders: map[*lane]company.Code{}}
}

// take waits for a lane. The caller has to free it.
func (q *laneQueue) take(ctx context.Context, of company.Code) (*lane, error) {
	w := q.join(of)
	select {
	case l := <-w.given:
		return l, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.leave(of, w) { // it has been given a lane meanwhile
		q.release(<-w.given)
	}
	return nil, fault.New(fault.Unavailable, "the service is busy with other requests; try again").Because(ctx.Err())
}

// join queues a request, and serves those that can be.
func (q *laneQueue) join(of company.Code) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &waiter{given: make(chan *lane, 1)}
	i := slices.IndexFunc(q.turns, func(t *turn) bool { return t.of == of })
	if i < 0 {
		i = len(q.turns)
		q.turns = append(q.turns, &turn{of: of})
	}
	q.turns[i].waiting = append(q.turns[i].waiting, w)
	if l := q.bestFree(of); l != nil && q.held[of] < q.share {
		q.give(l, q.turns[i])
	}
	return w
}

// leave removes a request that waits, and reports whether it did.
func (q *laneQueue) leave(of company.Code, w *waiter) bool {
	i := slices.IndexFunc(q.turns, func(t *turn) bool { return t.of == of })
	if i < 0 {
		return false
	}
	t := q.turns[i]
	at := slices.Index(t.waiting, w)
	if at < 0 {
		return false
	}
	t.waiting = slices.Delete(t.waiting, at, at+1)
	if len(t.waiting) == 0 {
		q.turns = slices.Delete(q.turns, i, i+1)
	}
	return true
}

// bestFree is the free lane that served the company last, or else the one that has been idle
// for the longest time; nil if none is free.
func (q *laneQueue) bestFree(of company.Code) (best *lane) {
	for _, l := range q.lanes {
		if !l.isFree {
			continue
		}
		if best == nil || l.distance(of) < best.distance(of) || l.distance(of) == best.distance(of) && l.freed < best.freed {
			best = l
		}
	}
	return best
}

// give gives the lane to the first request of the turn, whose company is the last one now.
func (q *laneQueue) give(l *lane, t *turn) {
	l.isFree = false
	l.use(t.of)
	q.holders[l] = t.of
	q.held[t.of]++
	w := t.waiting[0]
	t.waiting = t.waiting[1:]
	t.passed = 0
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

func (q *laneQueue) release(l *lane) {
	of := q.holders[l]
	delete(q.holders, l)
	if q.held[of]--; q.held[of] == 0 {
		delete(q.held, of)
	}
	q.clock++
	l.freed, l.isFree = q.clock, true
	if t := q.next(l); t != nil {
		q.give(l, t)
	}
}

// next is the turn that gets the lane: the first one, or one behind it whose company has used
// the lane before, unless the first has been passed over too often.
func (q *laneQueue) next(l *lane) *turn {
	var first, used *turn
	for _, t := range q.turns {
		switch {
		case q.held[t.of] >= q.share:
		case first == nil:
			first = t
			if l.distance(t.of) < usedAtMost || t.passed >= patience {
				return t
			}
		case l.distance(t.of) < usedAtMost:
			used = t
		}
		if used != nil {
			first.passed++
			return used
		}
	}
	return first
}

package pgreplica

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

// contract 13.6
func TestBatcherAnswersConcurrentQuestionsByOneLaterCall(t *testing.T) {
	t.Parallel()
	started, proceed := make(chan []int), make(chan struct{})
	g := &batcher[int, int]{timeout: time.Minute, call: func(_ context.Context, keys []int) (map[int]int, error) {
		slices.Sort(keys)
		started <- keys
		<-proceed
		answers := map[int]int{}
		for _, k := range keys {
			answers[k] = 10 * k
		}
		return answers, nil
	}}
	var all sync.WaitGroup
	ask := func(key int) {
		all.Go(func() {
			if got, err := g.ask(t.Context(), key); got != 10*key || err != nil {
				t.Errorf("%d: %d, %v", key, got, err)
			}
		})
	}
	ask(1)
	if got := <-started; !slices.Equal(got, []int{1}) {
		t.Errorf("the first call is for %v", got)
	}
	for _, key := range []int{1, 2, 3} {
		ask(key)
	}
	for waits := 0; waits < 3; { // 1 again: it came during the first call
		g.mu.Lock()
		if g.next != nil {
			waits = len(g.next.keys)
		}
		g.mu.Unlock()
	}
	proceed <- struct{}{}
	if got := <-started; !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("the second call is for %v", got)
	}
	proceed <- struct{}{}
	all.Wait()
}

func TestBatcherReturnsErrorsToThoseThatWaitForThem(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	fails := true
	g := &batcher[int, int]{timeout: time.Minute, call: func(context.Context, []int) (map[int]int, error) {
		if fails {
			return nil, broken
		}
		return map[int]int{1: 1}, nil
	}}
	if _, err := g.ask(t.Context(), 1); !errors.Is(err, broken) {
		t.Error(err)
	}
	fails = false
	if got, err := g.ask(t.Context(), 1); got != 1 || err != nil {
		t.Error(got, err)
	}
}

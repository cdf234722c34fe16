package pgreplica

import (
	"context"
	"sync"
	"time"
)

// gather answers keys with one call at a time. Keys that are asked for during a call are answered
// by the next one together, so an answer is never older than the question.
type gather[K comparable, V any] struct {
	timeout time.Duration
	// call answers the keys. It is never called twice at a time.
	call func(ctx context.Context, keys []K) (map[K]V, error)

	mu      sync.Mutex
	running bool
	next    *batch[K, V]
}

// batch are the keys of one call.
type batch[K comparable, V any] struct {
	keys    map[K]struct{}
	done    chan struct{}
	answers map[K]V
	err     error
}

// ask waits for the answer to the key.
func (g *gather[K, V]) ask(ctx context.Context, key K) (answer V, err error) {
	b := g.join(key)
	select {
	case <-b.done:
		return b.answers[key], b.err
	case <-ctx.Done():
		return answer, ctx.Err()
	}
}

// join adds the key to the next call.
func (g *gather[K, V]) join(key K) *batch[K, V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next == nil {
		g.next = &batch[K, V]{keys: map[K]struct{}{}, done: make(chan struct{})}
	}
	g.next.keys[key] = struct{}{}
	b := g.next
	if !g.running {
		g.running = true
		go g.run()
	}
	return b
}

// run makes calls until there are no more keys.
func (g *gather[K, V]) run() {
	for b := g.take(); b != nil; b = g.take() {
		g.answer(b)
	}
}

func (g *gather[K, V]) take() *batch[K, V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.next
	g.next = nil
	g.running = b != nil
	return b
}

func (g *gather[K, V]) answer(b *batch[K, V]) {
	defer close(b.done)
	ctx, cancel := context.WithTimeout(context.Background(), g.timeout)
	defer cancel()
	keys := make([]K, 0, len(b.keys))
	for k := range b.keys {
		keys = append(keys, k)
	}
	b.answers, b.err = g.call(ctx, keys)
}

package pgreplica

import (
	"context"
	"sync"
	"time"
)

// batcher answers keys with one call at a time. Keys that are asked for during a call are answered
// by the next one together, so an answer is never older than the question.
type batcher[K comparable, V any] struct {
	timeout time.Duration
	// call answers the keys. It is never called twice at a time.
	call func(ctx context.Context, keys []K) (map[K]V, error)

	mu      sync.Mutex
	running bool
	next    *batch[K, V]
}

type batch[K comparable, V any] struct {
	keys    map[K]struct{}
	done    chan struct{}
	answers map[K]V
	err     error
}

func (b *batcher[K, V]) ask(ctx context.Context, key K) (answer V, err error) {
	one := b.join(key)
	select {
	case <-one.done:
		return one.answers[key], one.err
	case <-ctx.Done():
		return answer, ctx.Err()
	}
}

func (b *batcher[K, V]) join(key K) *batch[K, V] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = &batch[K, V]{keys: map[K]struct{}{}, done: make(chan struct{})}
	}
	b.next.keys[key] = struct{}{}
	one := b.next
	if !b.running {
		b.running = true
		go b.run()
	}
	return one
}

func (b *batcher[K, V]) run() {
	for one := b.take(); one != nil; one = b.take() {
		b.answer(one)
	}
}

func (b *batcher[K, V]) take() *batch[K, V] {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.next
	b.next = nil
	b.running = one != nil
	return one
}

func (b *batcher[K, V]) answer(one *batch[K, V]) {
	defer close(one.done)
	ctx, cancel := context.WithTimeout(context.Background(), b.timeout)
	defer cancel()
	keys := make([]K, 0, len(one.keys))
	for k := range one.keys {
		keys = append(keys, k)
	}
	one.answers, one.err = b.call(ctx, keys)
}

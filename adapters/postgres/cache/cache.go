// Package cache contains a cache of bounded size.
package cache

import "sync"

// Bounded is a cache of bounded size; the zero value is empty. It has two generations: when the young
// one is full it becomes the old one, and what was not used since then is forgotten. It is safe for
// concurrent use.
type Bounded[K, V comparable] struct {
	mu         sync.RWMutex
	young, old map[K]V
}

// Max is the limit of one generation: a cache has at most twice as many values.
const Max = 500

// Get returns the value of the key, if it is in the cache.
func (c *Bounded[K, V]) Get(key K) (value V, ok bool) {
	c.mu.RLock()
	value, ok = c.young[key]
	c.mu.RUnlock()
	if ok {
		return value, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if value, ok = c.old[key]; ok {
		c.add(key, value)
	}
	return value, ok
}

// Put adds a value, or replaces that of the key.
func (c *Bounded[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, value)
}

func (c *Bounded[K, V]) add(key K, value V) {
	if _, has := c.young[key]; !has && (c.young == nil || len(c.young) >= Max) {
		c.young, c.old = map[K]V{}, c.young
	}
	c.young[key] = value
}

// Remove removes the value, unless another one was put.
func (c *Bounded[K, V]) Remove(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young[key] == value {
		delete(c.young, key)
	}
	if c.old[key] == value {
		delete(c.old, key)
	}
}

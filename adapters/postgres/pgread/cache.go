package pgread

import "sync"

// cache is a cache of bounded size. It has two generations: when the young one is full it becomes
// the old one, and what was not used since then is forgotten.
type cache[K, V comparable] struct {
	mu         sync.RWMutex
	young, old map[K]V
}

// maxCached is the limit of one generation.
const maxCached = 500

func (c *cache[K, V]) get(key K) (value V, ok bool) {
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

func (c *cache[K, V]) put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, value)
}

func (c *cache[K, V]) add(key K, value V) {
	if _, has := c.young[key]; !has && (c.young == nil || len(c.young) >= maxCached) {
		c.young, c.old = map[K]V{}, c.young
	}
	c.young[key] = value
}

// remove removes the value, unless another one was put.
func (c *cache[K, V]) remove(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young[key] == value {
		delete(c.young, key)
	}
	if c.old[key] == value {
		delete(c.old, key)
	}
}

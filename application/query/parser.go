package query

import (
	"strings"
	"sync"

	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Parser parses the parameters of requests for a resource, and caches the results,
// because most requests repeat the parameters of earlier ones. Results are shared
// and must not be modified. It is safe for concurrent use.
type Parser struct {
	Resource   *readmodel.Resource
	selections cache[selectionKey, *readmodel.Selection]
	sorts      cache[string, []readmodel.Order]
}

// NewParser returns a parser for the resource.
func NewParser(r *readmodel.Resource) *Parser { return &Parser{Resource: r} }

// Select is the function Select for the resource, cached.
func (p *Parser) Select(params Parameters) (*readmodel.Selection, error) {
	key := params.key()
	if s, ok := p.selections.get(key); ok {
		return s, nil
	}
	s, err := Select(p.Resource, params)
	if err == nil && key.isCacheable() {
		p.selections.put(key.clone(), s)
	}
	return s, err
}

// SortBy is the function SortBy for the resource, cached.
func (p *Parser) SortBy(sort string) ([]readmodel.Order, error) {
	if orders, ok := p.sorts.get(sort); ok {
		return orders, nil
	}
	orders, err := SortBy(p.Resource, sort)
	if err == nil && len(sort) <= maxKeyLength {
		p.sorts.put(strings.Clone(sort), orders)
	}
	return orders, err
}

const (
	maxEntries   = 256 // of a cache
	maxKeyLength = 512 // bytes; longer parameters are not cached
)

type cache[K comparable, V any] struct {
	mu      sync.RWMutex
	entries map[K]V
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok := c.entries[key]
	return value, ok
}

// put adds an entry. The key must not share memory with a request, which it would
// keep from being collected. A full cache is emptied first.
func (c *cache[K, V]) put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || len(c.entries) >= maxEntries {
		c.entries = map[K]V{}
	}
	c.entries[key] = value
}

// selectionKey is Parameters as a comparable value.
type selectionKey struct {
	fields, expand optional.Of[string]
	counts         string
	record         bool
}

func (p Parameters) key() selectionKey {
	return selectionKey{fields: p.Fields, expand: p.Expand, counts: strings.Join(p.Counts, ","), record: p.Record}
}

func (k selectionKey) isCacheable() bool {
	return len(k.fields.Or(""))+len(k.expand.Or("")) <= maxKeyLength
}

func (k selectionKey) clone() selectionKey {
	k.fields, k.expand = clone(k.fields), clone(k.expand)
	return k
}

func clone(text optional.Of[string]) optional.Of[string] {
	if raw, ok := text.Get(); ok {
		return optional.Some(strings.Clone(raw))
	}
	return text
}

package readmodel

import (
	"strings"
	"sync"

	"github.com/kontor-crm/kontor/domain/optional"
)

// memory remembers what was made of the words of requests: programs ask in the
// same few words again and again.
type memory[K comparable, V any] struct {
	mu    sync.RWMutex
	known map[K]V
}

const (
	// maxKnown is how much a memory holds, and maxAsked how long the words are that
	// it remembers something of.
	maxKnown = 256
	maxAsked = 512
)

// recall is what was made of the words before.
func (m *memory[K, V]) recall(words K) (V, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	made, ok := m.known[words]
	return made, ok
}

// remember keeps what was made of the words, which must be no part of a request:
// that is not to be kept as a whole. When there is too much it begins anew: what
// is in use comes back with the next request.
func (m *memory[K, V]) remember(words K, made V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= maxKnown {
		m.known = map[K]V{}
	}
	m.known[words] = made
}

// asked is an Asking that can be looked up.
type asked struct {
	fields, expand optional.Of[string]
	counts         string
	record         bool
}

func (ask Asking) key() asked {
	return asked{fields: ask.Fields, expand: ask.Expand, counts: strings.Join(ask.Counts, ","), record: ask.Record}
}

func (a asked) isShort() bool {
	return len(a.fields.Or(""))+len(a.expand.Or("")) <= maxAsked
}

func (a asked) cloned() asked {
	a.fields, a.expand = cloned(a.fields), cloned(a.expand)
	return a
}

func cloned(text optional.Of[string]) optional.Of[string] {
	if raw, ok := text.Get(); ok {
		return optional.Some(strings.Clone(raw))
	}
	return text
}

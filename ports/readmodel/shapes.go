package readmodel

import (
	"strings"
	"sync"

	"github.com/kontor-crm/kontor/domain/optional"
)

// shapes remembers the selections that were asked for: programs ask for the
// same few again and again.
type shapes struct {
	mu    sync.RWMutex
	known map[asked]*Selection
}

// asked is an Asking that can be looked up.
type asked struct {
	fields, expand optional.Of[string]
	counts         string
	record         bool
}

const (
	// maxShapes is how many selections of a resource are remembered, and
	// maxAsked how long the texts are that ask for them.
	maxShapes = 256
	maxAsked  = 512
)

func (a asked) isShort() bool {
	return len(a.fields.Or(""))+len(a.expand.Or("")) <= maxAsked
}

func (ask Asking) key() asked {
	return asked{fields: ask.Fields, expand: ask.Expand, counts: strings.Join(ask.Counts, ","), record: ask.Record}
}

// recall is what was asked for before; nil if it was not.
func (s *shapes) recall(a asked) *Selection {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.known[a]
}

// remember keeps the selection. When there are too many it begins anew: those
// that are in use come back with the next request.
func (s *shapes) remember(a asked, selection *Selection) {
	if !a.isShort() {
		return
	}
	// The texts are parts of a request, which is not to be kept as a whole.
	a.fields, a.expand = cloned(a.fields), cloned(a.expand)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxShapes {
		s.known = map[asked]*Selection{}
	}
	s.known[a] = selection
}

func cloned(text optional.Of[string]) optional.Of[string] {
	if raw, ok := text.Get(); ok {
		return optional.Some(strings.Clone(raw))
	}
	return text
}

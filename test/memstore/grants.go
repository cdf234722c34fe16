package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Find implements repository.Grants.
func (s *Store) Find(_ context.Context, publicID string) (repository.Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.data.tokens.find(func(t token.State) bool { return t.PublicID == publicID })
	if !ok {
		return repository.Grant{}, fault.New(fault.NotFound, "there is no such token")
	}
	owner := s.data.users.rows[t.UserID]
	return repository.Grant{Token: t, Role: owner.Role, Disabled: owner.Disabled}, nil
}

// PublicIDs implements repository.Grants.
func (s *Store) PublicIDs(_ context.Context, at time.Time, atMost int) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var usable []token.State
	for _, t := range s.data.tokens.rows {
		if token.Restore(t).Usable(at) {
			usable = append(usable, t)
		}
	}
	slices.SortFunc(usable, func(a, b token.State) int {
		if a.LastUsedAt.IsZero() != b.LastUsedAt.IsZero() {
			return a.LastUsedAt.Compare(b.LastUsedAt)
		}
		return cmp.Or(b.LastUsedAt.Compare(a.LastUsedAt), cmp.Compare(b.ID, a.ID))
	})
	var ids []string
	for _, t := range usable[:min(len(usable), atMost)] {
		ids = append(ids, t.PublicID)
	}
	return ids, nil
}

// Touch implements repository.Grants.
func (s *Store) Touch(_ context.Context, id token.ID, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.data.tokens.rows[id]; ok {
		t.LastUsedAt = at
		s.data.tokens.rows[id] = t
	}
	return nil
}

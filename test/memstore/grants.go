package memstore

import (
	"context"
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

package repository

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
)

// Grant is a token together with the role and state of its user.
type Grant struct {
	Token    token.State
	Role     user.Role
	Disabled bool
}

// Grants looks up tokens for authentication, outside of any unit of work.
type Grants interface {
	// Find returns the grant of the token with the public id, or a fault.NotFound.
	Find(ctx context.Context, publicID string) (Grant, error)
	// PublicIDs returns the public ids of the tokens that are neither revoked nor expired
	// at that time. If there are more than atMost, it returns those that were never used
	// and the most recently used ones.
	PublicIDs(ctx context.Context, at time.Time, atMost int) ([]string, error)
	// Touch records that the token was used.
	Touch(ctx context.Context, id token.ID, at time.Time) error
}

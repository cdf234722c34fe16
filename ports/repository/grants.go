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

// Grants looks tokens up for authentication, outside of any unit of work.
type Grants interface {
	// Find is the grant of the token with the public id; fault.NotFound if
	// there is none.
	Find(ctx context.Context, publicID string) (Grant, error)
	// PublicIDs are the public ids of tokens that are neither revoked nor expired at that
	// time. Of more than atMost, they are those that were never used or used last.
	PublicIDs(ctx context.Context, at time.Time, atMost int) ([]string, error)
	// Touch records that the token was used.
	Touch(ctx context.Context, id token.ID, at time.Time) error
}

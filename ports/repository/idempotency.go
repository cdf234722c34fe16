package repository

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/user"
)

// IdempotencyKey identifies a creation: repeated under the same key, it gets the
// first response and creates nothing.
type IdempotencyKey struct {
	UserID user.ID
	Path   string // of the resource
	Key    string // of the caller's choice
}

// ResponseLife is how long a response is stored.
const ResponseLife = 24 * time.Hour

// StoredResponse is the response to a creation, in bytes that only their writer
// understands.
type StoredResponse struct {
	Fingerprint [32]byte // of the record that was sent
	Bytes       []byte
}

// IdempotencyKeys stores the responses to creations that are executed once.
type IdempotencyKeys interface {
	// Claim makes the key the running unit of work's own, which is nil, or returns
	// the response that is stored under it. It waits for another unit of work that
	// has claimed the key; one that does not end within the lock timeout is a
	// fault.Conflict. A response as old as ResponseLife at that time counts as none.
	Claim(ctx context.Context, key IdempotencyKey, fingerprint [32]byte, at time.Time) (*StoredResponse, error)
	// Store stores the response under a key that this unit of work has claimed.
	// A response has at least one byte.
	Store(ctx context.Context, key IdempotencyKey, response []byte) error
}

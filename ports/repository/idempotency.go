package repository

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/user"
)

// IdempotencyKey identifies a creation. A repetition under the same key gets the
// first response and creates nothing.
type IdempotencyKey struct {
	UserID user.ID
	Path   string // of the resource
	Key    string // of the caller's choice
}

// ResponseLife is the retention of a stored response.
const ResponseLife = 24 * time.Hour

// StoredResponse is the response to a creation, in bytes that are opaque to the
// store.
type StoredResponse struct {
	Fingerprint [32]byte // of the record that was sent
	Bytes       []byte
}

// IdempotencyKeys stores the responses to creations with an idempotency key.
type IdempotencyKeys interface {
	// Claim claims the key for this unit of work and returns nil, or returns the
	// response that is stored under it. It waits for another unit of work that has
	// claimed the key; if that does not end within the lock timeout, it returns a
	// fault.Conflict. A response that has reached ResponseLife at that time is
	// ignored.
	Claim(ctx context.Context, key IdempotencyKey, fingerprint [32]byte, at time.Time) (*StoredResponse, error)
	// Store stores the response under a key that this unit of work has claimed.
	// A response has at least one byte.
	Store(ctx context.Context, key IdempotencyKey, response []byte) error
}

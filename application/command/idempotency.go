package command

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Idempotency identifies a creation: repeated under the same key, it is not
// executed again.
type Idempotency struct {
	Key repository.IdempotencyKey
	// Fingerprint differs between records that are sent under the same key.
	Fingerprint [32]byte
}

// Repeated is the error of a creation that was executed before.
type Repeated struct {
	Response []byte // as it was stored then
}

func (Repeated) Error() string { return "the creation was executed before" }

// claim ensures that no other request has executed or executes the creation.
// Another record under the same key is a fault.Invalid.
func (r Request) claim(ctx context.Context, s repository.Stores, at time.Time) error {
	if r.Idempotency == nil {
		return nil
	}
	stored, err := s.IdempotencyKeys.Claim(ctx, r.Idempotency.Key, r.Idempotency.Fingerprint, at)
	switch {
	case err != nil:
		return err
	case stored == nil:
		return nil
	case stored.Fingerprint != r.Idempotency.Fingerprint:
		return fault.ForField(fault.Invalid, "Idempotency-Key", "was used for another record: take a new key for each")
	}
	return Repeated{Response: stored.Bytes}
}

package command

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Idempotency identifies a creation by its idempotency key: a repetition is not
// executed again.
type Idempotency struct {
	Key repository.IdempotencyKey
	// Fingerprint is a hash of the record that was sent; a repetition must have
	// the same one.
	Fingerprint [32]byte
}

// Repeated is the error of a repeated creation. It has the stored response.
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
		reused := fault.ForField(fault.Invalid, "Idempotency-Key", "was used for another body: use a new key for each record")
		return fault.As(reused).Coded(fault.KeyReused)
	}
	return Repeated{Response: stored.Bytes}
}

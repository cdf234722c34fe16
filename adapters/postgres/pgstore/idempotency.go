package pgstore

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

type idempotencyKeys struct {
	u *unit
}

// Claim implements repository.IdempotencyKeys. The insert waits for another writer
// that inserts the same key; a key that has expired, and is not purged yet, is claimed again.
func (r *idempotencyKeys) Claim(
	ctx context.Context, key repository.IdempotencyKey, fingerprint [32]byte, at time.Time,
) (*repository.StoredResponse, error) {
	r.u.Store(`
insert into idempotency_keys as k (user_id, path, key, fingerprint, claimed_at)
values ($1, $2, $3, $4, $5)
on conflict (user_id, path, key) do update
set fingerprint = excluded.fingerprint, claimed_at = excluded.claimed_at, response = null
where k.claimed_at <= $6`,
		key.UserID, key.Path, key.Key, fingerprint[:], at, at.Add(-repository.ResponseLife))
	var sent, response []byte
	_, err := r.u.one(ctx, []any{&sent, &response}, `
select fingerprint, response
from idempotency_keys
where user_id = $1 and path = $2 and key = $3`, key.UserID, key.Path, key.Key)
	if postgres.IsLockTimeout(err) {
		err = fault.New(fault.Conflict, "a request with the same Idempotency-Key is still being carried out; try again").
			Coded(fault.Concurrent).WithCause(err)
	}
	if err != nil || response == nil {
		return nil, err
	}
	// The insert has locked the key. Another request has stored the record, and may have been cancelled
	// while it waited for a synchronous replica.
	if err := postgres.Commit(ctx, r.u.tx); err != nil {
		return nil, err
	}
	return &repository.StoredResponse{Fingerprint: [32]byte(sent), Bytes: response}, nil
}

func (r *idempotencyKeys) Store(_ context.Context, key repository.IdempotencyKey, response []byte) error {
	r.u.Store(`
update idempotency_keys
set response = $4
where user_id = $1 and path = $2 and key = $3`, key.UserID, key.Path, key.Key, response)
	return nil
}

package pgstore

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

type answers struct {
	u *unit
}

// Claim is as repository.Answers promises. The insert waits for whoever is
// inserting the same key; an answer that has expired is claimed anew.
func (r *answers) Claim(
	ctx context.Context, key repository.AnswerKey, fingerprint [32]byte, at time.Time,
) (*repository.Answer, [32]byte, error) {
	r.u.Store(`
insert into answers (user_id, path, key, fingerprint, claimed_at)
values ($1, $2, $3, $4, $5)
on conflict (user_id, path, key) do update
set fingerprint = excluded.fingerprint, claimed_at = excluded.claimed_at,
    status = null, location = null, content_type = null, etag = null, body = null
where answers.claimed_at <= $6`,
		key.UserID, key.Path, key.Key, fingerprint[:], at, at.Add(-repository.AnswerLife))
	var (
		kept   repository.Answer
		status *int
		sent   []byte
	)
	_, err := r.u.one(ctx, []any{&sent, &status, &kept.Location, &kept.ContentType, &kept.ETag, &kept.Body}, `
select fingerprint, status, coalesce(location, ''), coalesce(content_type, ''), coalesce(etag, ''), body
from answers
where user_id = $1 and path = $2 and key = $3`, key.UserID, key.Path, key.Key)
	if postgres.IsLockTimeout(err) {
		err = fault.New(fault.Conflict, "a request with the same Idempotency-Key is still being carried out; try again").Because(err)
	}
	if err != nil || status == nil {
		return nil, fingerprint, err
	}
	kept.Status = *status
	return &kept, [32]byte(sent), nil
}

// Keep is as repository.Answers promises. Each kept answer takes up to two
// expired ones away, so that the table stays as small as a day; those that
// another writer is at are left to it.
func (r *answers) Keep(_ context.Context, key repository.AnswerKey, a repository.Answer) error {
	r.u.Store(`
update answers
set status = $4, location = $5, content_type = $6, etag = $7, body = $8
where user_id = $1 and path = $2 and key = $3`,
		key.UserID, key.Path, key.Key, a.Status, a.Location, a.ContentType, a.ETag, a.Body)
	r.u.Remove(`
delete from answers
where (user_id, path, key) in (
    select user_id, path, key
    from answers
    where claimed_at <= $1
    order by claimed_at
    limit 2
    for update skip locked
)`, r.u.meta.At.Add(-repository.AnswerLife))
	return nil
}

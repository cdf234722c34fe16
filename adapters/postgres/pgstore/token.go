package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
)

type tokens struct {
	u *unit
}

const selectToken = `
select id, user_id, public_id, secret_hash, created_at, expires_at, revoked_at, last_used_at,
    coalesce(label, ''), coalesce(scopes, '')
from tokens
`

func (r *tokens) LockByPublicID(ctx context.Context, publicID string) (*token.Token, error) {
	found, err := r.lock(ctx, selectToken+"where public_id = $1\nfor update", publicID)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, noSuch("token")
	}
	return found[0], nil
}

func (r *tokens) LockUsable(ctx context.Context, owner user.ID, at time.Time) ([]*token.Token, error) {
	return r.lock(ctx, selectToken+`where user_id = $1
and revoked_at is null
and (expires_at is null or expires_at > $2)
order by id
for update`, owner, at)
}

func (r *tokens) lock(ctx context.Context, sql string, args ...any) (found []*token.Token, err error) {
	r.u.query(func(rows pgx.Rows) error {
		for rows.Next() {
			s, err := tokenFrom(rows)
			if err != nil {
				return err
			}
			found = append(found, token.Restore(s))
		}
		return nil
	}, sql, args...)
	return found, r.u.send(ctx)
}

func tokenFrom(rows pgx.Rows) (s token.State, err error) {
	var hash []byte
	var expires, revoked, used nullTime
	err = rows.Scan(&s.ID, &s.UserID, &s.PublicID, &hash, &s.CreatedAt, &expires, &revoked, &used, &s.Label, &s.Scopes)
	if err != nil {
		return s, err
	}
	s.Hash = token.Hash(hash)
	s.ExpiresAt, s.RevokedAt, s.LastUsedAt = expires.Time, revoked.Time, used.Time
	return s, nil
}

func (r *tokens) Add(ctx context.Context, t *token.Token) (token.ID, error) {
	s := t.State()
	_, err := r.u.one(ctx, []any{&s.ID}, `
insert into tokens (id, user_id, public_id, secret_hash, created_at, expires_at, label, scopes)
values (coalesce($6, nextval('tokens_id_seq')), $1, $2, $3, $4, $5, $7, $8)
returning id`,
		s.UserID, s.PublicID, s.Hash[:], s.CreatedAt, instant(s.ExpiresAt), r.u.newID(), missing(s.Label), missing(string(s.Scopes)))
	return s.ID, err
}

func (r *tokens) Save(_ context.Context, t *token.Token) error {
	s := t.State()
	r.u.Store("update tokens set revoked_at = $2 where id = $1", s.ID, instant(s.RevokedAt))
	return nil
}

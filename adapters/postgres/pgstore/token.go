package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/domain/token"
)

var tokens = mapped("tokens", func(c *columns, s *token.State) {
	generated(c, "id", &s.ID)
	value(c, "user_id", &s.UserID)
	value(c, "public_id", &s.PublicID)
	if c.stored("secret_hash", "%s", scanner(func(src any) error {
		copy(s.Hash[:], src.([]byte))
		return nil
	})) {
		c.values = append(c.values, s.Hash[:])
	}
	value(c, "created_at", &s.CreatedAt)
	optionalTime(c, "expires_at", &s.ExpiresAt)
	optionalTime(c, "revoked_at", &s.RevokedAt)
	optionalTime(c, "last_used_at", &s.LastUsedAt)
	text(c, "label", &s.Label)
	text(c, "scopes", &s.Scopes)
})

type tokenStore struct{ *unit }

func (r tokenStore) Lock(ctx context.Context, id token.ID) (*token.Token, error) {
	return r.lockOne(ctx, "where id = $1\nfor no key update", id)
}

func (r tokenStore) LockByPublicID(ctx context.Context, publicID string) (*token.Token, error) {
	return r.lockOne(ctx, "where public_id = $1\nfor update", publicID)
}

func (r tokenStore) lockOne(ctx context.Context, where string, arg any) (*token.Token, error) {
	var found []token.State
	r.query(collect(&found, tokens.reader()), tokens.selects+where, arg)
	if err := r.send(ctx); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, noSuch("token")
	}
	return token.Restore(found[0]), nil
}

func (r tokenStore) Add(ctx context.Context, t *token.Token) (token.ID, error) {
	s := t.State()
	_, err := r.one(ctx, []any{&s.ID}, tokens.insert+"returning id", tokens.row(&s, r.meta.At, r.newID())...)
	return s.ID, err
}

func (r tokenStore) Save(_ context.Context, t *token.Token) error {
	s := t.State()
	r.Store("update tokens set revoked_at = $2 where id = $1", s.ID, instant(s.RevokedAt))
	return nil
}

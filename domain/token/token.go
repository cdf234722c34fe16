// Package token holds the records of access tokens: whose a token is and how
// long it is valid. The secret itself is never stored, only its hash.
package token

import (
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
)

// DefaultTTL is how long a token lives for which nothing else was said.
const DefaultTTL = 90 * 24 * time.Hour

// EndedLife is how long the record of a token is kept after the token expired or was
// revoked.
const EndedLife = 90 * 24 * time.Hour

// ID identifies a token. Zero is none.
type ID int64

// Hash is the SHA-256 of a token's secret.
type Hash [32]byte

// State is a token's record, for stores and readers.
type State struct {
	ID         ID
	UserID     user.ID
	PublicID   string // the part that is shown in lists and logs; unique
	Hash       Hash
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	RevokedAt  time.Time // zero: not revoked
	LastUsedAt time.Time // zero: not seen yet; may lag behind
}

// Token is a user's access token.
type Token struct {
	state State
}

// New makes the record of a token that lives for ttl; 0 means for ever. A
// negative ttl is rejected.
func New(owner user.ID, publicID string, hash Hash, ttl time.Duration, at time.Time) (*Token, error) {
	if ttl < 0 {
		return nil, fault.ForField(fault.Invalid, "ttl", "must not be negative")
	}
	s := State{UserID: owner, PublicID: publicID, Hash: hash, CreatedAt: at}
	if ttl > 0 {
		s.ExpiresAt = at.Add(ttl)
	}
	return &Token{state: s}, nil
}

// Restore is a stored token.
func Restore(s State) *Token { return &Token{state: s} }

// State is a copy of the token's record.
func (t *Token) State() State { return t.state }

// Usable reports whether the token opens the door at that time: it is not
// revoked, and the instant at which it expires has not come.
func (t *Token) Usable(at time.Time) bool {
	s := t.state
	return s.RevokedAt.IsZero() && (s.ExpiresAt.IsZero() || at.Before(s.ExpiresAt))
}

// Revoke ends the token at once. A revoked token keeps its first time.
func (t *Token) Revoke(at time.Time) {
	if t.state.RevokedAt.IsZero() {
		t.state.RevokedAt = at
	}
}

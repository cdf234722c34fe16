// Package token contains the aggregate of an access token: its user and its
// validity. Of the secret only a hash is stored.
package token

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/domain/user"
)

// DefaultTTL is the lifetime of a token unless another one is given.
const DefaultTTL = 90 * 24 * time.Hour

// Forever is the text of a life without an end, for ParseLife.
const Forever = "never"

// ParseLife returns a life from a text such as 30d, 12h or 1d12h; of Forever it is 0.
func ParseLife(text string) (time.Duration, error) {
	if text == Forever {
		return 0, nil
	}
	invalid := errors.New("must be a duration, such as 30d, 12h or 1d12h")
	days, rest, hasDays := strings.Cut(text, "d")
	var n uint64
	if hasDays {
		var err error
		if n, err = strconv.ParseUint(days, 10, 16); err != nil {
			return 0, invalid
		}
		text = cmp.Or(rest, "0")
	}
	parsed, err := time.ParseDuration(text)
	if err != nil || hasDays && parsed < 0 {
		return 0, invalid
	}
	return time.Duration(n)*24*time.Hour + parsed, nil
}

// EndedLife is the retention of a token's record after the token expired or was
// revoked.
const EndedLife = 90 * 24 * time.Hour

// ID identifies a token. Zero is none.
type ID int64

// Hash is the SHA-256 of a token's secret.
type Hash [32]byte

// State is the stored state of a token.
type State struct {
	ID         ID
	UserID     user.ID
	PublicID   string // the part that is shown in lists and logs; unique
	Hash       Hash
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	RevokedAt  time.Time // zero: not revoked
	LastUsedAt time.Time // zero: not seen yet; may lag behind
	Label      string    // for people; may be empty
	Scopes     Scopes    // what it may do of what its user may
}

// Token is a user's access token.
type Token struct {
	state State
}

// New returns a new token that expires after ttl; 0 means never. A negative ttl is a
// fault.Invalid.
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

// Restrict limits a new token to the scopes and labels it.
func (t *Token) Restrict(scopes Scopes, label string) error {
	var c fault.Collector
	t.state.Label = text.Optional(&c, "label", domain.Some(label), "", text.Short)
	t.state.Scopes = scopes
	return c.Err()
}

// Restore returns a token with a stored state, without validation.
func Restore(s State) *Token { return &Token{state: s} }

// State returns a copy of the token's state.
func (t *Token) State() State { return t.state }

// Usable reports whether the token is valid at that time: it is not revoked and not
// expired. It expires at the very instant of its expiry.
func (t *Token) Usable(at time.Time) bool {
	s := t.state
	return s.RevokedAt.IsZero() && (s.ExpiresAt.IsZero() || at.Before(s.ExpiresAt))
}

// Revoke revokes the token. Revoking it again does not change the time.
func (t *Token) Revoke(at time.Time) {
	if t.state.RevokedAt.IsZero() {
		t.state.RevokedAt = at
	}
}

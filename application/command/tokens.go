package command

import (
	"cmp"
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
)

// TokenAttributes are those of a new token.
type TokenAttributes struct {
	UserID user.ID // zero: the actor
	Label  string
	Scopes token.Scopes
	Life   time.Duration // 0: it does not expire
}

// Create issues a token and returns its id. show receives the secret before the response is made, unless this is a dry
// run: the response that is stored under an idempotency key must not have it. An actor whose token has scopes may only
// issue tokens with these; anything else is a fault.Forbidden.
func (u *Tokens) Create(ctx context.Context, r Request, a TokenAttributes, show func(ports.Secret)) (id token.ID, err error) {
	secret, err := u.minter.Mint()
	if err != nil {
		return 0, err
	}
	if r.DryRun {
		r.Idempotency = nil
	}
	err = u.do(ctx, r, func(ctx context.Context, w work) error {
		if err := r.claim(ctx, w.Stores, w.At); err != nil {
			return err
		}
		issued, err := w.newToken(ctx, secret, a)
		if err != nil {
			return err
		}
		if id, err = w.Tokens.Add(ctx, issued); err != nil {
			return err
		}
		if !r.DryRun {
			show(secret)
		}
		if w.Response != nil {
			w.Response.IsNew = true
		}
		return w.respond(ctx, int64(id))
	})
	return id, err
}

func (w work) newToken(ctx context.Context, secret ports.Secret, a TokenAttributes) (*token.Token, error) {
	if !w.Actor.Scopes.Covers(a.Scopes) && len(w.Wrong) == 0 {
		return nil, fault.New(fault.Forbidden, "a token with scopes may only issue tokens with these scopes, or fewer")
	}
	owner := cmp.Or(a.UserID, w.Actor.UserID)
	_, missing := w.Users.Lock(ctx, owner)
	if fault.Is(missing, fault.NotFound) {
		missing = fault.ForField(fault.Dangling, "user", "refers to a record that does not exist")
	} else if missing != nil {
		return nil, missing
	}
	t, invalid := token.New(owner, secret.PublicID, token.Hash(secret.Hash), a.Life, w.At)
	if invalid == nil {
		invalid = t.Restrict(a.Scopes, a.Label)
	}
	return t, fault.Join(w.CheckWrong(), invalid, missing)
}

// Delete revokes a token. Revoking it again changes nothing.
func (u *Tokens) Delete(ctx context.Context, r Request, id token.ID) error {
	return u.do(ctx, r, func(ctx context.Context, w work) error {
		t, err := w.Tokens.Lock(ctx, id)
		if err != nil {
			return err
		}
		if err := w.CheckVersion(int64(id)); err != nil {
			return err
		}
		t.Revoke(w.At)
		return w.Tokens.Save(ctx, t)
	})
}

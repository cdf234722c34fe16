package command

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Users are the use cases that change users. They are for operators, at the
// command line.
type Users struct {
	base
}

// NewUsers returns the use cases of users.
func NewUsers(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Users {
	return &Users{base{tx: tx, clock: clock, rules: rules}}
}

var byOperator = Request{Actor: access.Actor{IsOperator: true}}

// Add adds a user and returns the id. A username that is already taken is a
// fault.Invalid.
func (u *Users) Add(ctx context.Context, a user.Attributes) (id user.ID, err error) {
	err = u.perform(ctx, byOperator, func(ctx context.Context, w work) error {
		added, err := user.New(a, w.At)
		if err != nil {
			return err
		}
		after := added.State()
		change := rule.Change[user.State]{After: &after, Cause: rule.Requested}
		if err := check(ctx, w, rule.Users, change); err != nil {
			return err
		}
		if id, err = w.Users.Add(ctx, added); err != nil {
			return err
		}
		after.ID = id
		stored(u.base, w, rule.Users, change)
		return w.react(ctx)
	})
	return id, err
}

// Disable disables the user, whose tokens are then rejected.
func (u *Users) Disable(ctx context.Context, username string) error {
	return u.change(ctx, username, (*user.User).Disable)
}

// Enable enables a disabled user again.
func (u *Users) Enable(ctx context.Context, username string) error {
	return u.change(ctx, username, (*user.User).Enable)
}

// Assign sets the user's role.
func (u *Users) Assign(ctx context.Context, username string, role user.Role) error {
	return u.change(ctx, username, func(us *user.User, at time.Time) { us.Assign(role, at) })
}

func (u *Users) change(ctx context.Context, username string, how func(*user.User, time.Time)) error {
	return u.perform(ctx, byOperator, func(ctx context.Context, w work) error {
		found, err := w.Users.LockByName(ctx, username)
		if err != nil {
			return err
		}
		before := found.State()
		how(found, w.At)
		after := found.State()
		change := rule.Change[user.State]{Before: &before, After: &after, Cause: rule.Requested}
		if !takesAway(before, after) && !changesNothing(change) {
			if err := check(ctx, w, rule.Users, change); err != nil {
				return err
			}
		}
		if err := w.Users.Save(ctx, found); err != nil {
			return err
		}
		stored(u.base, w, rule.Users, change)
		return w.react(ctx)
	})
}

// takesAway reports whether a change of a user only takes rights away. No rule judges it: any admin can
// write rules, and an operator must be able to stop any admin.
func takesAway(before, after user.State) bool {
	return after.Disabled && !before.Disabled || after.Role > before.Role
}

// Tokens are the use cases that issue and revoke access tokens, at the command
// line.
type Tokens struct {
	tx     repository.Tx
	clock  ports.Clock
	minter ports.TokenMinter
}

// NewTokens returns the use cases of tokens.
func NewTokens(tx repository.Tx, clock ports.Clock, minter ports.TokenMinter) *Tokens {
	return &Tokens{tx: tx, clock: clock, minter: minter}
}

// Issue issues a token for the user that expires after ttl; 0 means never. The
// returned secret is stored nowhere, so it can be shown only now.
func (u *Tokens) Issue(ctx context.Context, username string, ttl time.Duration) (ports.Secret, token.State, error) {
	return u.IssueScoped(ctx, username, ttl, "", "")
}

// IssueScoped is like Issue, for a token with scopes and a label.
func (u *Tokens) IssueScoped(
	ctx context.Context, username string, ttl time.Duration, scopes token.Scopes, label string,
) (ports.Secret, token.State, error) {
	secret, err := u.minter.Mint()
	if err != nil {
		return ports.Secret{}, token.State{}, err
	}
	var state token.State
	meta := repository.Meta{At: u.clock.Now()}
	err = u.tx.Do(ctx, meta, func(ctx context.Context, s repository.Stores) error {
		owner, err := s.Users.LockByName(ctx, username)
		if err != nil {
			return err
		}
		t, err := token.New(owner.State().ID, secret.PublicID, token.Hash(secret.Hash), ttl, meta.At)
		if err == nil {
			err = t.Restrict(scopes, label)
		}
		if err != nil {
			return err
		}
		state = t.State()
		state.ID, err = s.Tokens.Add(ctx, t)
		return err
	})
	return secret, state, err
}

// Revoke revokes the token with the public id.
func (u *Tokens) Revoke(ctx context.Context, publicID string) error {
	meta := repository.Meta{At: u.clock.Now()}
	return u.tx.Do(ctx, meta, func(ctx context.Context, s repository.Stores) error {
		t, err := s.Tokens.LockByPublicID(ctx, publicID)
		if err != nil {
			return err
		}
		t.Revoke(meta.At)
		return s.Tokens.Save(ctx, t)
	})
}

package command_test

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// user is the stored user of that name.
func (o *office) user(username string) (state user.State) {
	o.t.Helper()
	fixture.Do(o.t, o.store, 0, func(ctx context.Context, s repository.Stores) error {
		u, err := s.Users.LockByName(ctx, username)
		if err == nil {
			state = u.State()
		}
		return err
	})
	return state
}

// contract 1.38
func TestUserIsFoundByNameIgnoringCase(t *testing.T) {
	t.Parallel()
	o := openEmpty(t)
	id := done[user.ID](t)(o.users.Add(t.Context(), user.Attributes{Username: optional.Some("Mira")}))
	added := o.user("mira")
	expect(t, user.State{
		ID: id, Version: 1, Username: "Mira", Role: user.Manager, CreatedAt: o.clock.at, UpdatedAt: o.clock.at,
	}, added)

	_, err := o.users.Add(t.Context(), user.Attributes{Username: optional.Some("MIRA")})
	rejected(t, err, fault.Invalid, "username")

	succeed(t, o.users.Disable(t.Context(), "MIRA"))
	if !o.user("Mira").Disabled {
		t.Error("she is not disabled")
	}
	succeed(t, o.users.Enable(t.Context(), "mIRA"))
	if o.user("Mira").Disabled {
		t.Error("she is still disabled")
	}
	succeed(t, o.users.Assign(t.Context(), "mira", user.Viewer))
	if got := o.user("Mira").Role; got != user.Viewer {
		t.Errorf("her role is %s, want %s", got, user.Viewer)
	}
	rejected(t, o.users.Assign(t.Context(), "nobody", user.Viewer), fault.NotFound)
}

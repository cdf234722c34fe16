package command_test

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
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
	id := done[user.ID](t)(o.users.Add(t.Context(), user.Attributes{Username: domain.Some("Mira")}))
	added := o.user("mira")
	expect(t, user.State{
		ID: id, Version: 1, Username: "Mira", Role: user.Manager, CreatedAt: o.clock.at, UpdatedAt: o.clock.at,
	}, added)

	_, err := o.users.Add(t.Context(), user.Attributes{Username: domain.Some("MIRA")})
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

// contract 12.115
func TestRulesCannotKeepAnOperatorFromTakingRightsAway(t *testing.T) {
	t.Parallel()
	o := openEmpty(t)
	_ = done[user.ID](t)(o.users.Add(t.Context(), user.Attributes{Username: domain.Some("mira"), Role: domain.Some(user.Admin)}))
	users := command.NewUsers(o.store, o.clock, registry(t, rule.Users.Rules(&recorded[user.State]{verdict: forbidden()})))
	succeed(t, users.Assign(t.Context(), "mira", user.Viewer))
	succeed(t, users.Disable(t.Context(), "mira"))
	rejected(t, users.Enable(t.Context(), "mira"), fault.Forbidden)
	rejected(t, users.Assign(t.Context(), "mira", user.Admin), fault.Forbidden)
	if got := o.user("mira"); !got.Disabled || got.Role != user.Viewer {
		t.Errorf("the user is %+v", got)
	}
}

// handsOver gives a deal of a disabled user, and the client of it, to another one.
type handsOver struct {
	deal   deal.ID
	client client.ID
	to     user.ID
	status catalog.StatusID
}

func (handsOver) Name() string { return "hands-over" }

func (h handsOver) React(ctx context.Context, _ rule.Change[user.State], do rule.Actions) error {
	if err := do.UpdateClient(ctx, h.client, client.Attributes{UserID: domain.Some(h.to)}); err != nil {
		return err
	}
	return do.UpdateDeal(ctx, h.deal, deal.Attributes{UserID: domain.Some(h.to), StatusID: domain.Some(h.status)})
}

// contract 12.116
func TestReactionToAnOperatorMayDoEverything(t *testing.T) {
	t.Parallel()
	o := open(t)
	reaction := handsOver{o.Deal, o.Client, o.Other, o.Status}
	users := command.NewUsers(o.store, o.clock, registry(t, rule.Users.Reactions(reaction),
		rule.Clients.Rules(rule.ClientStaysWithManager{}), rule.Deals.Rules(rule.DealStaysWithManager{})))
	_ = done[user.ID](t)(o.users.Add(t.Context(), user.Attributes{Username: domain.Some("temp")}))
	succeed(t, users.Disable(t.Context(), "temp"))
	if got := o.deal(o.Deal); got.UserID != o.Other || o.client(o.Client).UserID != o.Other {
		t.Errorf("the deal belongs to %d, want %d", got.UserID, o.Other)
	}
	history := o.history(o.Deal)
	if last := history[len(history)-1]; last.UserID != o.Other || last.StatusID != o.Status || last.Cause != "hands-over" {
		t.Errorf("the last entry of the history is %+v", last)
	}
}

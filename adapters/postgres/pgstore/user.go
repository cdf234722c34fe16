package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/user"
)

var users = kept("users", table[user.ID, *user.User, user.State]{
	what: "user", restore: user.Restore, same: same[user.State],
	key: func(s *user.State) (*user.ID, *int64) { return &s.ID, &s.Version },
}, func(c *columns, s *user.State) {
	title(c, "username", &s.Username)
	sorted(c, "fname", &s.FirstName)
	sorted(c, "lname", &s.LastName)
	computed(c, "name", s.Name())
	sorted(c, "email", &s.Email)
	spelled(c, "role", &s.Role, user.ParseRole)
	value(c, "disabled", &s.Disabled)
	value(c, "created_at", &s.CreatedAt)
	value(c, "updated_at", &s.UpdatedAt)
})

type userStore struct {
	*records[user.ID, *user.User, user.State]
}

func (r userStore) LockByName(ctx context.Context, username string) (*user.User, error) {
	return r.lock(ctx, "where username_key = $1\nfor no key update", textkey.Of(username))
}

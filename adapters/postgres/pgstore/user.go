package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/user"
)

type users struct {
	tracker[user.ID, user.State]
}

func userKey(s user.State) user.ID { return s.ID }

const selectUser = `
select id, version, username, coalesce(fname, ''), coalesce(lname, ''), coalesce(email, ''), role, disabled, created_at, updated_at
from users
`

func userColumns(s *user.State) []any {
	return []any{
		&s.ID, &s.Version, &s.Username, &s.FirstName, &s.LastName, &s.Email, parsed(&s.Role, user.ParseRole), &s.Disabled,
		&s.CreatedAt, &s.UpdatedAt,
	}
}

func (r *users) Lock(ctx context.Context, id user.ID) (*user.User, error) {
	return r.lock(ctx, selectUser+forNoKeyUpdate, id)
}

func (r *users) LockByName(ctx context.Context, username string) (*user.User, error) {
	return r.lock(ctx, selectUser+"where username_key = $1\nfor no key update", textkey.Of(username))
}

func (r *users) lock(ctx context.Context, sql string, arg any) (*user.User, error) {
	var s user.State
	if err := r.existing(ctx, "user", userColumns(&s), sql, arg); err != nil {
		return nil, err
	}
	r.locked(s)
	return user.Restore(s), nil
}

func (r *users) Add(ctx context.Context, u *user.User) (user.ID, error) {
	s := u.State()
	_, err := r.one(ctx, []any{&s.ID}, `
insert into users (
    id, username, username_key, fname, fname_key, lname, lname_key, name, name_key, email, email_key,
    role, disabled, created_at, updated_at
)
values (coalesce($15, nextval('users_id_seq')), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
returning id`,
		s.Username, textkey.Of(s.Username), missing(s.FirstName), key(s.FirstName), missing(s.LastName), key(s.LastName),
		s.Name(), textkey.Of(s.Name()), missing(s.Email), key(s.Email), s.Role.String(), s.Disabled, s.CreatedAt, s.UpdatedAt, r.newID())
	if err != nil {
		return 0, err
	}
	r.added(s)
	return s.ID, nil
}

func (r *users) Save(_ context.Context, u *user.User) error {
	s := u.State()
	if r.saved(s) {
		r.Store("update users set version = version + 1, role = $2, disabled = $3, updated_at = $4 where id = $1",
			s.ID, s.Role.String(), s.Disabled, s.UpdatedAt)
	}
	return nil
}

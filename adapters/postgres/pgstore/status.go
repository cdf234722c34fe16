package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/catalog"
)

type statuses struct {
	tracker[catalog.StatusID, catalog.StatusState]
}

func statusKey(s catalog.StatusState) catalog.StatusID { return s.ID }

const selectStatus = `
select id, version, name, is_default, coalesce(color, '')
from statuses
`

func statusColumns(s *catalog.StatusState) []any {
	return []any{&s.ID, &s.Version, &s.Name, &s.Default, &s.Color}
}

func (r *statuses) Lock(ctx context.Context, id catalog.StatusID) (*catalog.Status, error) {
	s, err := r.lock(ctx, selectStatus+forNoKeyUpdate, id)
	if err == nil && s == nil {
		err = noSuch("status")
	}
	return s, err
}

// LockDefault implements repository.Statuses. If the query finds none, it is
// repeated: the status that it waited for may no longer be the default, and only a
// new statement sees the new one.
func (r *statuses) LockDefault(ctx context.Context) (*catalog.Status, error) {
	for {
		s, err := r.lock(ctx, selectStatus+"where is_default\nfor no key update")
		if err != nil || s != nil {
			return s, err
		}
		if id, err := r.Default(ctx); err != nil || id == 0 {
			return nil, err
		}
	}
}

func (r *statuses) lock(ctx context.Context, sql string, args ...any) (*catalog.Status, error) {
	var s catalog.StatusState
	found, err := r.one(ctx, statusColumns(&s), sql, args...)
	if err != nil || !found {
		return nil, err
	}
	r.locked(s)
	return catalog.RestoreStatus(s), nil
}

func (r *statuses) Default(ctx context.Context) (id catalog.StatusID, err error) {
	_, err = r.one(ctx, []any{&id}, "select id from statuses where is_default")
	return id, err
}

func (r *statuses) Add(ctx context.Context, st *catalog.Status) (catalog.StatusID, error) {
	s := st.State()
	_, err := r.one(ctx, []any{&s.ID}, `
insert into statuses (id, name, name_key, is_default, color, color_key)
values (coalesce($6, nextval('statuses_id_seq')), $1, $2, $3, $4, $5)
returning id`, s.Name, textkey.Of(s.Name), s.Default, missing(s.Color), key(s.Color), r.newID())
	if err != nil {
		return 0, err
	}
	r.added(s)
	return s.ID, nil
}

func (r *statuses) Save(_ context.Context, st *catalog.Status) error {
	s := st.State()
	if r.saved(s) {
		r.Store(`
update statuses
set version = version + 1, name = $2, name_key = $3, is_default = $4, color = $5, color_key = $6
where id = $1`, s.ID, s.Name, textkey.Of(s.Name), s.Default, missing(s.Color), key(s.Color))
	}
	return nil
}

func (r *statuses) Remove(_ context.Context, st *catalog.Status) error {
	s := st.State()
	r.removed(s)
	r.removeUnused("delete from statuses where id = $1", int64(s.ID),
		referrer{"deals", "status_id"}, referrer{"deal_history", "status_id"})
	return nil
}

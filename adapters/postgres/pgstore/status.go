package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/fault"
)

var statuses = kept("statuses", table[catalog.StatusID, *catalog.Status, catalog.StatusState]{
	what: "status", restore: catalog.RestoreStatus, same: same[catalog.StatusState],
	key:       func(s *catalog.StatusState) (*catalog.StatusID, *int64) { return &s.ID, &s.Version },
	referrers: []referrer{{"deals", "status_id"}, {"deal_history", "status_id"}},
}, func(c *columns, s *catalog.StatusState) {
	title(c, "name", &s.Name)
	value(c, "is_default", &s.Default)
	text(c, "color", &s.Color)
})

type statusStore struct {
	*records[catalog.StatusID, *catalog.Status, catalog.StatusState]
}

// LockDefault implements repository.Statuses. If the query finds none, it is
// repeated: the status that it waited for may no longer be the default, and only a
// new statement sees the new one.
func (r statusStore) LockDefault(ctx context.Context) (*catalog.Status, error) {
	for {
		s, err := r.lock(ctx, "where is_default\nfor no key update")
		if !fault.Is(err, fault.NotFound) {
			return s, err
		}
		var id catalog.StatusID
		if found, err := r.one(ctx, []any{&id}, "select id from statuses where is_default"); err != nil || !found {
			return nil, err
		}
	}
}

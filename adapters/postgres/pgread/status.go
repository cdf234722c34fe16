package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewStatuses returns the reader of the statuses of deals.
func NewStatuses(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, statuses)
}

var statuses = mapped(mapping{
	resource: readmodel.Statuses,
	table:    "statuses",
	columns:  map[string]string{"default": "r.is_default"},
})

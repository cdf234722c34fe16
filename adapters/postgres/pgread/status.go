package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewStatuses returns the reader of the statuses of deals.
func NewStatuses(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, statuses)
}

var statuses = &mapping{
	resource: readmodel.Statuses,
	table:    "statuses",
	columns: map[string]string{
		"id":      "r.id",
		"version": "r.version",
		"name":    "r.name",
		"default": "r.is_default",
		"color":   "r.color",
	},
	keys: map[string]string{
		"name":  "r.name_key",
		"color": "r.color_key",
	},
}

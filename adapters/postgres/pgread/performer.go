package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewPerformers returns the reader of performers.
func NewPerformers(db Querier) readmodel.Reader[readmodel.PerformerFilter] {
	return newReader(db, performers, withRef(func(f readmodel.PerformerFilter) string { return f.Ref }))
}

// The keys of texts other than the name share a column, since they serve to sort a handful of rows.
var performers = mapped(mapping{
	resource: readmodel.Performers,
	table:    "performers",
	keys:     map[string]string{"name": "r.name_key"},
	keyOf:    func(column string) string { return "(r.text_keys ->> '" + column + `') collate "C"` },
	long:     []string{"company_address", "real_address", "bank_details", "company_details"},
})

package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewPerformers returns the reader of performers.
func NewPerformers(db Querier) readmodel.Reader[readmodel.PerformerFilter] {
	return newReader(db, performers, withRef(func(f readmodel.PerformerFilter) string { return f.Ref }))
}

var performers = mapped(mapping{resource: readmodel.Performers, table: "performers"})

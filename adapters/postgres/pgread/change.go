package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewChanges returns the reader of the log of changes.
func NewChanges(db Querier) readmodel.Reader[readmodel.ChangeFilter] {
	return newReader(db, changes, filter[readmodel.ChangeFilter]{
		condition{where: "r.resource = ? and r.record_id = ?"},
		func(f readmodel.ChangeFilter) []any { return []any{f.Resource, f.RecordID} },
	})
}

var changes = mapped(mapping{
	resource: readmodel.Changes,
	table:    "record_changes",
	columns:  map[string]string{"version": "r.id"}, // an entry has no version of its own
	nested: map[string]nested{"attributes": {
		from: "rows from (jsonb_to_recordset(r.attributes) as (name text, old text, new text)) " +
			"with ordinality c (name, old, new, position)",
		alias: "c",
		order: "c.position",
	}},
})

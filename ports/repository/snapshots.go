package repository

import (
	"context"

	"github.com/kontor-crm/kontor/domain/ruledef"
)

// StoredRules reads stored rules. One that does not exist is a fault.NotFound.
type StoredRules interface {
	Named(ctx context.Context, name string) (ruledef.State, error)
	Numbered(ctx context.Context, id ruledef.ID) (ruledef.State, error)
}

// Snapshots reads all records of a resource, as a trial of a rule needs them.
type Snapshots interface {
	// Take takes a snapshot. Its states have the attributes of these names in the API, and
	// the lines of invoices are not loaded; "items" asks for their number.
	Take(ctx context.Context, resource string, attributes []string) (Snapshot, error)
}

// Snapshot is all records of one resource at one time, whatever is written meanwhile. It is
// safe for concurrent use.
type Snapshot interface {
	// Next are the records that follow those before, in the order of their ids. At the end
	// there are none.
	Next(ctx context.Context) (Records, error)
	// Answer answers questions as Facts does, without locks: as of the snapshot, and many
	// questions of one kind by one statement.
	Answer(ctx context.Context, questions []Question) ([]Answer, error)
	// Close ends the snapshot, whether the context has ended or not.
	Close(ctx context.Context)
}

// Records are consecutive records of a snapshot, few enough to keep them in memory together
// with their lines.
type Records struct {
	IDs    []int64
	States []any // pointers to the states of the resource
	// Done is which part of the snapshot ends with these records, 0 to 1, as estimated from
	// their ids.
	Done float64
}

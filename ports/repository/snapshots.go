package repository

import "context"

// Snapshots reads all records of a resource, for trials of rules.
type Snapshots interface {
	// Take takes a snapshot. The lines of its invoices are not loaded.
	Take(ctx context.Context, resource string) (Snapshot, error)
}

// Snapshot has all records of one resource at one time. It is not safe for concurrent
// use. The caller has to call Close, once.
type Snapshot interface {
	// Next returns the next records by ascending id; none at the end.
	Next(ctx context.Context) (Batch, error)
	// Answer answers questions as of the snapshot, in their order and without locks, in one round
	// trip.
	Answer(ctx context.Context, questions []Question) ([]Answer, error)
	// Close ends the snapshot, even if the context has ended.
	Close(ctx context.Context)
}

// Batch has consecutive records of a snapshot, few enough to fit into memory with their
// lines.
type Batch struct {
	IDs    []int64
	States []any // pointers to the states of the resource
	// Done is the part of the snapshot that was read, including these records: 0 to 1,
	// estimated from their ids.
	Done float64
}

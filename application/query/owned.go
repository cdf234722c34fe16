package query

import (
	"context"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

type owned[F any] struct {
	readmodel.Reader[F]
	owners RecordReader
	owner  func(F) int64 // the id
}

// NewDealHistory wraps the reader of history entries. A deal that does not exist is a
// fault.NotFound.
func NewDealHistory(
	entries readmodel.Reader[readmodel.DealHistoryFilter], deals RecordReader,
) readmodel.Reader[readmodel.DealHistoryFilter] {
	return owned[readmodel.DealHistoryFilter]{entries, deals, func(f readmodel.DealHistoryFilter) int64 { return int64(f.DealID) }}
}

// NewRuleViolations wraps the reader of violations. A rule that does not exist is a
// fault.NotFound.
func NewRuleViolations(
	violations readmodel.Reader[readmodel.RuleViolationFilter], rules RecordReader,
) readmodel.Reader[readmodel.RuleViolationFilter] {
	return owned[readmodel.RuleViolationFilter]{violations, rules, func(f readmodel.RuleViolationFilter) int64 { return int64(f.RuleID) }}
}

// NewChanges wraps the reader of the log of changes. A record that does not exist is a fault.NotFound, unless the log has
// its deletion.
func NewChanges(changes readmodel.Reader[readmodel.ChangeFilter], records RecordReader) readmodel.Reader[readmodel.ChangeFilter] {
	return owned[readmodel.ChangeFilter]{changes, records, func(f readmodel.ChangeFilter) int64 { return f.RecordID }}
}

// List returns a page; fault.NotFound if the owner does not exist.
func (o owned[F]) List(ctx context.Context, q readmodel.Query[F]) (*readmodel.Rows, error) {
	rows, err := o.Reader.List(ctx, q)
	if err != nil || rows.Total > 0 {
		return rows, err
	}
	return rows, checkExists(ctx, o.owners, o.owner(q.Filter))
}

// Export opens the list; fault.NotFound if the owner does not exist.
func (o owned[F]) Export(ctx context.Context, q readmodel.Query[F]) (readmodel.Export, error) {
	if err := checkExists(ctx, o.owners, o.owner(q.Filter)); err != nil {
		return nil, err
	}
	return o.Reader.Export(ctx, q)
}

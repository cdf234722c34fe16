package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// ahead is a record that is read by the statement that adds it.
//
// Chose this over reading it with what is derived from it, because the response is complete
// then, and the rest of a creation is one round trip with the commit. Costs a statement that
// does both, which is used only if the record shows nothing that is counted.
type ahead struct {
	of        *readmodel.Resource
	selection *readmodel.Selection
	id        int64
	rows      *readmodel.Rows // nil: not read yet, or something has changed since
}

// Expect implements readmodel.View.
func (v view) Expect(of *readmodel.Resource, s *readmodel.Selection) {
	if v.u.records.CanInsert(of, s) {
		v.u.ahead = &ahead{of: of, selection: s}
	}
}

// insert runs a statement that inserts one record, and scans its id. If the record is
// expected, its rows are read too; keepAhead takes them, once the change is recorded.
func (u *unit) insert(ctx context.Context, of *readmodel.Resource, id *int64, sql string, args ...any) (rows *readmodel.Rows, err error) {
	if u.ahead == nil || u.ahead.of != of {
		_, err = u.one(ctx, []any{id}, sql+"\nreturning id", args...)
		return nil, err
	}
	return u.records.Insert(ctx, func(ctx context.Context, sql string, args []any, read func(pgx.Rows) error) error {
		return u.query(ctx, query{sql, args, read})
	}, of, u.ahead.selection, id, sql, args)
}

// keepAhead keeps the rows of a record that insert has read.
func (u *unit) keepAhead(id int64, rows *readmodel.Rows) {
	if rows != nil {
		u.ahead.id, u.ahead.rows = id, rows
	}
}

// forgetAhead is called with each change: the record may show it.
func (u *unit) forgetAhead() {
	if u.ahead != nil {
		u.ahead.rows = nil
	}
}

// readAhead are the rows of a record that was read when it was added; else nil.
func (u *unit) readAhead(of *readmodel.Resource, id int64, s *readmodel.Selection) *readmodel.Rows {
	if a := u.ahead; a != nil && a.of == of && a.id == id && a.selection == s {
		return a.rows
	}
	return nil
}

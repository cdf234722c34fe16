package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
)

// prefetch is a record that is read by the statement that adds it.
//
// Chose this over reading the record after the derived rows are stored, because these can
// then be sent together with the commit. Costs a statement that inserts and reads, which is
// used only for attributes that are not counted.
type prefetch struct {
	of        *readmodel.Resource
	selection *readmodel.Selection
	id        int64
	rows      *readmodel.Rows // nil: not read yet, or something has changed since
	isLast    bool            // the unit of work ends with the record
}

func (v view) Expect(of *readmodel.Resource, s *readmodel.Selection) {
	if v.u.records.CanInsert(of, s) {
		v.u.prefetch = &prefetch{of: of, selection: s}
	}
}

func (v view) End() {
	if v.u.prefetch != nil {
		v.u.prefetch.isLast = true
	}
}

// insert runs a statement that inserts one record of a list, with the rows of extensions, and scans its
// id. If the record is expected, its rows are read too; keepPrefetched takes them, once the change is
// recorded. The changes are that of the record, without its id: if nothing else is to be stored, the
// same round trip commits.
func (u *unit) insert(ctx context.Context, l *listdef.List, of *readmodel.Resource, changes repository.Changes, id *int64, sql string, args ...any) (rows *readmodel.Rows, err error) {
	added := "with added as (" + sql + "\nreturning *)" + u.rowsOfNew(l) + "\n"
	if u.prefetch == nil || u.prefetch.of != of {
		_, err = u.one(ctx, []any{id}, added+"select r.id from added r", args...)
		return nil, err
	}
	run := func(ctx context.Context, sql string, args []any, read func(pgx.Rows) error) error {
		return u.query(ctx, query{sql, args, read})
	}
	if u.isAll(ctx, changes, args) {
		run = u.commitWith
	}
	return u.records.Insert(ctx, run, of, u.prefetch.selection, id, added, args)
}

// rowsOfNew are the common table expressions of all extensions.
func (u *unit) rowsOfNew(l *listdef.List) (rows string) {
	for _, p := range u.projections {
		if e, ok := p.(Extension); ok {
			rows += e.RowsOfNew(l)
		}
	}
	return rows
}

func (u *unit) keepPrefetched(id int64, rows *readmodel.Rows) {
	if rows != nil {
		u.prefetch.id, u.prefetch.rows = id, rows
	}
}

// dropPrefetched is called with each change, because the record may show it.
func (u *unit) dropPrefetched() {
	if u.prefetch != nil {
		u.prefetch.rows = nil
	}
}

// prefetched returns the rows of a record that was read when it was added, or nil.
func (u *unit) prefetched(of *readmodel.Resource, id int64, s *readmodel.Selection) *readmodel.Rows {
	if a := u.prefetch; a != nil && a.of == of && a.id == id && a.selection == s {
		return a.rows
	}
	return nil
}

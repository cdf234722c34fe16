package pgread

import (
	"context"
	"fmt"

	sq "github.com/Masterminds/squirrel"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/cache"
	"github.com/kontor-crm/kontor/ports/membudget"
)

type statement struct {
	sql  string
	args []int // the parameters that $1, $2, ... stand for
	// layout says which of its columns are not those of the selection.
	layout layout
}

func prepare(names parameterNames, stmt sq.Sqlizer, at layout) (*statement, error) {
	named, _, err := stmt.ToSql()
	if err != nil {
		return nil, fmt.Errorf("build a statement: %w", err)
	}
	sql, args, err := names.bind(named)
	return &statement{sql: sql, args: args, layout: at}, err
}

// run runs the statement and calls each with the text of each row's cells. If the
// connection turns out to be dead before the first row, another one is tried.
func (s *statement) run(ctx context.Context, db Querier, values params, each func(cells [][]byte) error) error {
	return s.runWith(ctx, fetchAll, db, values, each)
}

// runOne is like run, for a statement with at most one row.
func (s *statement) runOne(ctx context.Context, db Querier, values params, each func(cells [][]byte) error) error {
	return s.runWith(ctx, fetchOne, db, values, each)
}

func (s *statement) runWith(ctx context.Context, fetch fetching, db Querier, values params, each func(cells [][]byte) error) error {
	membudget.From(ctx).StartRows()
	args := s.arguments([]any{pgx.QueryResultFormats{pgx.TextFormatCode}}, values)
	hasRows, err := fetch(ctx, db, s.sql, args, each)
	if !hasRows && postgres.Reconnect(ctx, db, err) {
		_, err = fetch(ctx, db, s.sql, args, each)
	}
	return postgres.Fault(err, postgres.Storing)
}

func (s *statement) arguments(args []any, values params) []any {
	for _, at := range s.args {
		args = append(args, values[at])
	}
	return args
}

// runBy runs a statement whose cells are texts, and calls each with the cells of each row.
func (s *statement) runBy(ctx context.Context, run RunQuery, values params, each func(cells [][]byte) error) error {
	membudget.From(ctx).StartRows()
	return run(ctx, s.sql, s.arguments(nil, values), func(rows pgx.Rows) error {
		_, err := eachRow(ctx, rows, each)
		return err
	})
}

// fetching calls each with the rows of a query, and reports whether there was one.
type fetching func(ctx context.Context, db Querier, sql string, args []any, each func(cells [][]byte) error) (hasRows bool, err error)

// fetchAll stops the query after an error: the server need not send the remaining rows.
func fetchAll(ctx context.Context, db Querier, sql string, args []any, each func(cells [][]byte) error) (hasRows bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	return fetch(ctx, stop, db, sql, args, each)
}

// fetchOne is for at most one row, and does without what stops a query: a twentieth
// of the CPU time of reading a record.
func fetchOne(ctx context.Context, db Querier, sql string, args []any, each func(cells [][]byte) error) (hasRows bool, err error) {
	return fetch(ctx, func() {}, db, sql, args, each)
}

func fetch(ctx context.Context, stop func(), db Querier, sql string, args []any, each func(cells [][]byte) error) (hasRows bool, err error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if hasRows, err = eachRow(ctx, rows, each); err != nil {
		stop()
	}
	return hasRows, err
}

// eachRow reserves memory for the rows and calls each with them.
func eachRow(ctx context.Context, rows pgx.Rows, each func(cells [][]byte) error) (hasRows bool, err error) {
	memory := membudget.From(ctx)
	for rows.Next() {
		hasRows = true
		cells := rows.RawValues()
		if err := memory.ReserveRow(size(cells)); err != nil {
			return hasRows, err
		}
		if err := each(cells); err != nil {
			return hasRows, err
		}
	}
	return hasRows, rows.Err()
}

func size(cells [][]byte) (bytes int) {
	for _, cell := range cells {
		bytes += len(cell)
	}
	return bytes
}

// statements caches statements by what their SQL depends on.
type statements[K comparable] struct {
	cache.Bounded[K, *statement]
}

func (s *statements[K]) prepared(key K, build func() (*statement, error)) (*statement, error) {
	if stmt, ok := s.Get(key); ok {
		return stmt, nil
	}
	stmt, err := build()
	if err == nil {
		s.Put(key, stmt)
	}
	return stmt, err
}

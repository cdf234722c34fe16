package pgread

import (
	"context"
	"time"

	sq "github.com/Masterminds/squirrel"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// run runs a statement and calls each with the text of each row's cells. If the
// connection turns out to be dead, or the statement is canceled, before the first row, it is
// tried once more.
func run(ctx context.Context, db Querier, stmt sq.Sqlizer, each func(cells [][]byte) error) error {
	sql, args, err := prepare(stmt)
	if err != nil {
		return err
	}
	args = append([]any{pgx.QueryResultFormats{pgx.TextFormatCode}}, args...)
	began := time.Now()
	hasRows, err := fetch(ctx, db, sql, args, each)
	if !hasRows && postgres.IsRepeatable(ctx, db, err, began) {
		_, err = fetch(ctx, db, sql, args, each)
	}
	return postgres.Fault(err, postgres.Storing)
}

// fetch closes the connection after an error of each: the server need not send the remaining rows, and a request to
// cancel the statement might reach it when the connection already serves the next one.
func fetch(ctx context.Context, db Querier, sql string, args []any, each func(cells [][]byte) error) (hasRows bool, err error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if hasRows, err = eachRow(rows, each); err != nil && rows.Err() == nil {
		_ = rows.Conn().Close(ctx)
	}
	return hasRows, err
}

// eachRow calls each with the rows. More than readmodel.MaxBytes of them are an error.
func eachRow(rows pgx.Rows, each func(cells [][]byte) error) (hasRows bool, err error) {
	bytes := 0
	for rows.Next() {
		hasRows = true
		cells := rows.RawValues()
		if bytes += size(cells); bytes > readmodel.MaxBytes {
			return hasRows, readmodel.ErrTooLarge
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

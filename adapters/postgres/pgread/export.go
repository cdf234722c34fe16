package pgread

import (
	"context"
	"time"

	sq "github.com/Masterminds/squirrel"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

const (
	fetchedRows = 1000
	fetchExport = "fetch 1000 from export"
	// maxBatch is how many bytes of cells a batch of an export has before its last row.
	maxBatch = 256 << 10
)

// Export opens the whole list.
//
// Chose: a cursor in a transaction. Because: it has one snapshot, the statement timeout is for each
// fetch and not for the client's time to receive the list, and the planner prefers plans that begin
// at once. Costs: a connection until the end, which is why each export waits at a gate, and
// not at that of searches, which would wait for the clients of exports.
func (r *reader[F]) Export(ctx context.Context, q readmodel.Query[F]) (_ readmodel.Export, err error) {
	q.Page = readmodel.Page{}
	l, err := r.list(q)
	if err != nil {
		return nil, err
	}
	e := &export{selection: q.Select}
	if e.leave, err = r.exports.Enter(ctx); err != nil {
		return nil, err
	}
	sql, args, err := prepare(l.wholeList())
	if err == nil {
		err = e.open(ctx, r.db, sql, args)
	}
	if err != nil {
		e.Close(ctx)
		return nil, exportFault(err)
	}
	return e, nil
}

// wholeList selects all records, without their total. Those of a search are found first, as in a list.
func (l *list) wholeList() sq.Sqlizer {
	columns := commas(l.expressions(l.selection))
	order := " order by " + commas(l.orderBy(front))
	if l.search() == nil {
		return sq.Expr("select "+columns+" from "+l.table+" r"+l.joined(l.selection)+"?"+order, where(l.filters()))
	}
	return sq.Expr("with matches as materialized (?) select "+columns+" from matches m join "+l.table+" r on r.id = m.id"+
		l.joined(l.selection)+order, l.matching())
}

type export struct {
	selection *readmodel.Selection
	leave     func() // of the gate
	tx        pgx.Tx
	rows      pgx.Rows // of the present fetch; nil if there is none
	fetched   int      // of them
	isLast    bool     // the present fetch reached the end
}

// open begins the transaction with the cursor.
func (e *export) open(ctx context.Context, db Querier, sql string, args []any) (err error) {
	e.tx, err = postgres.Repeat(ctx, db, func() (pgx.Tx, error) {
		tx, err := db.Begin(ctx)
		if err != nil {
			return nil, err
		}
		if _, err = tx.Exec(ctx, "declare export no scroll cursor for "+sql, args...); err != nil {
			_ = tx.Rollback(ctx) // if it fails, the pool closes the connection
			return nil, err
		}
		return tx, nil
	})
	return err
}

// Next returns the next rows, nil at the end.
func (e *export) Next(ctx context.Context) (*readmodel.Rows, error) {
	batch, bytes := readmodel.NewRows(len(e.selection.Paths)), 0
	for bytes < maxBatch && !e.isLast {
		cells, err := e.next(ctx)
		if err == nil && cells != nil {
			bytes += size(cells)
			err = appendRow(batch, e.selection, cells)
		}
		if err != nil {
			return nil, exportFault(err)
		}
	}
	if batch.Len() == 0 {
		return nil, nil
	}
	return batch, nil
}

// next returns the next row; nil at the end of a fetch.
func (e *export) next(ctx context.Context) (cells [][]byte, err error) {
	if e.rows == nil {
		// Not prepared: the next list on this connection has other columns.
		e.fetched = 0
		rows, err := e.tx.Query(ctx, fetchExport, pgx.QueryExecModeExec, pgx.QueryResultFormats{pgx.TextFormatCode})
		if err != nil {
			return nil, err
		}
		e.rows = rows
	}
	if e.rows.Next() {
		e.fetched++
		return e.rows.RawValues(), nil
	}
	err = e.rows.Err()
	e.rows, e.isLast = nil, e.fetched < fetchedRows
	return nil, err
}

func (e *export) Close(ctx context.Context) {
	defer e.leave()
	if e.tx == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if e.rows != nil {
		e.rows.Close()
	}
	_ = e.tx.Rollback(ctx) // if it fails, the pool closes the connection
}

func exportFault(err error) error {
	if postgres.IsStatementTimeout(err) {
		return fault.New(fault.TooSlow, "the database did not finish this in time, and repeating it will not help: add a filter, or leave "+
			"out all and sort").WithCause(err)
	}
	return postgres.Fault(err, postgres.Storing)
}

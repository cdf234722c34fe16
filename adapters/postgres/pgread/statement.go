package pgread

import (
	"context"
	"fmt"
	"sync"

	sq "github.com/Masterminds/squirrel"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/membudget"
)

// slot stands in a statement for a value of the request that it is run for.
type slot int

const (
	slotOffset slot = iota // how many rows lie before the page
	slotKey                // the sort key in a cursor
	slotID                 // the id in a cursor, or of the one record
	slotCount              // how many rows matched when they were counted
	slotBatch              // and the first batch that this count knows nothing of
	slotNewest             // when the newest of them was created
	slotWalk               // how many rows a walk looks at
	slotIDs                // what matched when it was counted
	slotFilter             // the first value of the filter
	slots      = slotFilter + 16
)

// values are what a request fills the slots with.
type values [slots]any

// statement is a statement with its arguments, slots among them.
type statement struct {
	sql  string
	args []any
}

// prepare puts a statement together.
func prepare(stmt sq.Sqlizer) (*statement, error) {
	sql, args, err := stmt.ToSql()
	if err == nil {
		sql, err = sq.Dollar.ReplacePlaceholders(sql)
	}
	if err != nil {
		return nil, fmt.Errorf("put the statement together: %w", err)
	}
	return &statement{sql: sql, args: args}, nil
}

// run runs the statement and hands over the text of each row's cells. If the
// connection turns out to be dead before the first row, another one is tried.
func (s *statement) run(ctx context.Context, db Querier, v *values, each func(cells [][]byte) error) error {
	args := make([]any, 1, 1+len(s.args))
	args[0] = pgx.QueryResultFormats{pgx.TextFormatCode}
	for _, arg := range s.args {
		if at, ok := arg.(slot); ok {
			arg = v[at]
		}
		args = append(args, arg)
	}
	begun, err := fetch(ctx, db, s.sql, args, each)
	if !begun && postgres.Reconnect(ctx, db, err) {
		_, err = fetch(ctx, db, s.sql, args, each)
	}
	return postgres.Fault(err, postgres.Storing)
}

// fetch hands over the rows of a query, and tells whether there was one.
func fetch(ctx context.Context, db Querier, sql string, args []any, each func(cells [][]byte) error) (begun bool, err error) {
	// Rows that nobody wants any more need not be sent to their end.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	memory := membudget.From(ctx)
	for rows.Next() {
		begun = true
		cells := rows.RawValues()
		if err := memory.ReserveRow(size(cells)); err != nil {
			stop()
			return begun, err
		}
		if err := each(cells); err != nil {
			return begun, err
		}
	}
	return begun, rows.Err()
}

func size(cells [][]byte) (bytes int) {
	for _, cell := range cells {
		bytes += len(cell)
	}
	return bytes
}

// statements remembers statements by their shape, so that a request puts
// together only what nobody asked for before.
type statements[K comparable] struct {
	mu    sync.RWMutex
	known map[K]*statement
}

// maxKnown bounds the memory that shapes take; a service of many more than
// these begins anew.
const maxKnown = 1000

func (s *statements[K]) get(shape K, build func() sq.Sqlizer) (*statement, error) {
	s.mu.RLock()
	stmt, ok := s.known[shape]
	s.mu.RUnlock()
	if ok {
		return stmt, nil
	}
	stmt, err := prepare(build())
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxKnown {
		s.known = map[K]*statement{}
	}
	s.known[shape] = stmt
	return stmt, nil
}

package pgread

import (
	"cmp"
	"context"
	"fmt"
	"regexp"

	sq "github.com/Masterminds/squirrel"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Records reads single records of every resource, for the writing transaction. Instants are shown in the time zone.
type Records struct{ zone string }

// NewRecords returns the readers of all resources.
func NewRecords(zone string) *Records { return &Records{zone} }

// RunQuery runs a query and calls read with its rows, in text or binary format.
type RunQuery func(ctx context.Context, sql string, args []any, read func(pgx.Rows) error) error

// Read implements readmodel.Reader by a query that may be part of a batch. Columns are cast to text,
// since a batch has the results of most types in the binary format. The zone of an instant is a
// parameter, because a server that Citus forwards the statement to has a zone of its own.
func (r *Records) Read(
	ctx context.Context, run RunQuery, resource *readmodel.Resource, id int64, s *readmodel.Selection,
) (*readmodel.Rows, error) {
	m, ok := mappings[resource]
	if !ok {
		return nil, fmt.Errorf("there is no reader of single records of %s", resource.Name)
	}
	columns := m.expressions(s)
	var zones []any
	for i := range columns {
		if instantColumn.MatchString(columns[i]) {
			columns[i] += " at time zone ?"
			zones = append(zones, r.zone)
		}
		columns[i] = "(" + columns[i] + ")::text"
	}
	sql, args, err := prepare(m.recordStatement(columns, zones, s, id))
	if err != nil {
		return nil, err
	}
	return m.oneRecord(s, func(each func(cells [][]byte) error) error {
		return run(ctx, sql, args, func(rows pgx.Rows) error {
			_, err := eachRow(rows, each)
			return err
		})
	})
}

// instantColumn is a column with an instant; a column with a time of no zone has another name.
var instantColumn = regexp.MustCompile(`^[a-z]+\.[a-z]+_(at|on)$`)

// recordStatement reads columns of one record, which may have parameters.
func (m *mapping) recordStatement(columns []string, args []any, s *readmodel.Selection, id int64) sq.Sqlizer {
	where := " where r." + cmp.Or(m.idColumn, "id") + " = ?"
	return sq.Expr("select "+commas(columns)+" from "+m.table+" r"+m.joined(s)+where, append(args, id)...)
}

func readRecord(ctx context.Context, db Querier, m *mapping, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	return m.oneRecord(s, func(each func(cells [][]byte) error) error {
		return run(ctx, db, m.recordStatement(m.expressions(s), nil, s, id), each)
	})
}

// oneRecord returns the one row that fetch calls each with.
func (m *mapping) oneRecord(s *readmodel.Selection, fetch func(each func(cells [][]byte) error) error) (*readmodel.Rows, error) {
	rows := readmodel.NewRows(len(s.Paths))
	rows.Total = 1
	err := fetch(func(cells [][]byte) error { return appendRow(rows, s, cells) })
	if err == nil && rows.Len() == 0 {
		return nil, fault.New(fault.NotFound, "%s", cmp.Or(m.resource.Absent, "there is no such "+m.resource.Name))
	}
	return rows, err
}

package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// A Described statement is one that a reader runs.
type Described struct {
	Plan      string
	SQL       string
	Arguments []any
}

// DescribePage describes the statement of the page. beside is "after" or "before" for a page
// beside a cursor, after null or before null for one that has no sort key.
func DescribePage[F any](of readmodel.Reader[F], q readmodel.Query[F], beside string) (d Described, err error) {
	r := of.(*reader[F])
	if beside != "" {
		q.Page.Cursor = r.mapping.encode(sampleCursor(r.mapping, q.Sort, beside), q.Sort)
	}
	l, err := r.list(q)
	if err != nil {
		return d, err
	}
	d.Plan = l.position.String() + "; " + l.path.String()
	d.SQL, d.Arguments, err = prepare(l.statement())
	return d, err
}

// DescribeRecord describes the statement of one record.
func DescribeRecord[F any](of readmodel.Reader[F], s *readmodel.Selection) (d Described, err error) {
	m := of.(*reader[F]).mapping
	d.Plan = "one record by its id"
	d.SQL, d.Arguments, err = prepare(m.recordStatement(m.expressions(s), nil, s, 7))
	return d, err
}

func sampleCursor(m *mapping, orders []readmodel.Order, beside string) cursor {
	c := cursor{id: "7", before: beside == "before" || beside == "before null"}
	if c.isNull = beside == "after null" || beside == "before null"; c.isNull || len(orders) == 1 {
		return c
	}
	switch m.kindOf(orders[0].Attribute) {
	case readmodel.Text:
		c.key = "text"
	case readmodel.Bool:
		c.key = "t"
	case readmodel.Time:
		c.key = "2024-03-09 16:05:00"
	default:
		c.key = "17"
	}
	return c
}

// LimitRows limits the rows of a report.
func LimitRows(of readmodel.Report, rows int) readmodel.Report {
	of.(*report).maxRows = rows
	return of
}

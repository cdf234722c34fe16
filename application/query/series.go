package query

import (
	"context"
	"fmt"
	"strconv"

	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Series reads the number series of performers.
type Series struct {
	inputs RecordReader
}

var _ RecordReader = (*Series)(nil)

// NewSeries returns a reader of readmodel.Series; inputs reads readmodel.SeriesInputs.
func NewSeries(inputs RecordReader) *Series { return &Series{inputs} }

// seriesInputs selects all attributes of readmodel.SeriesInputs, and has the series in seriesOf.
var seriesInputs, seriesOf = everything(readmodel.SeriesInputs)

// Read returns the series of the performer with the id, or a fault.NotFound.
func (x *Series) Read(ctx context.Context, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	inputs, err := x.inputs.Read(ctx, id, seriesInputs)
	if err != nil {
		return nil, err
	}
	defer inputs.Release()
	record := cellsOf(inputs, 0, seriesInputs)
	patterns := party.State{NumberPattern: record.text("party.number_pattern"), CreditPattern: record.text("party.credit_pattern")}
	var items *readmodel.Rows
	if inner := listOf(s, "items"); inner != nil {
		items = readmodel.NewRows(len(inner.Paths))
		found := inputs.List(0, seriesOf.Column)
		for row := range found.Len() {
			c := cellsOf(found, row, seriesOf.Inner)
			standing, err := c.standing(patterns)
			if err != nil {
				return nil, fmt.Errorf("read the series of performer %d: %w", id, err)
			}
			standing.appendTo(items, inner, nil)
		}
	}
	rows := readmodel.NewRows(len(s.Paths))
	rows.Total = 1
	cells{"id": record["id"], "version": record["version"]}.appendTo(rows, s, map[string]*readmodel.Rows{"items": items})
	return rows, nil
}

// standing returns the cells of a series.
func (c cells) standing(patterns party.State) (cells, error) {
	kind, year, last, count := performer.SeriesKind(c.number("kind")), int(c.number("year")), c.number("last_seq"), c.number("count")
	pattern := patterns.Pattern(kind)
	if pattern.IsZero() {
		return nil, fmt.Errorf("the party has no pattern of the %s series", kind)
	}
	number := func(seq int64) []byte { return []byte(pattern.Number(year, seq)) }
	standing := cells{
		"kind": []byte(kind.String()), "first": number(1), "last": number(last), "next": number(last + 1),
		"count": c["count"], "gaps": strconv.AppendInt(nil, last-count, 10),
	}
	if pattern.IsYearly() {
		standing["year"] = c["year"]
	}
	return standing, nil
}

package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewSeriesInputs reads what the number series of performers are described by.
func NewSeriesInputs(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, seriesInputs)
}

var seriesInputs = mapped(mapping{
	resource: readmodel.SeriesInputs,
	table:    "performers",
	joins:    map[string]join{"party.": {"a", "left join parties a on a.performer_id = r.id"}},
	nested: map[string]nested{"series": {
		from:  "series s where s.performer_id = r.id",
		alias: "s",
		order: "s.kind, s.year",
		columns: map[string]string{
			"count": "(select count(*) from issued_documents d where (d.performer_id, d.kind, d.year) = (s.performer_id, s.kind, s.year))",
		},
	}},
})

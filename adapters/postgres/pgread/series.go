package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewSeriesInputs reads what the number series of performers are described by.
func NewSeriesInputs(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, seriesInputs)
}

var seriesInputs = &mapping{
	resource: readmodel.SeriesInputs,
	table:    "performers",
	columns: merge(own("id", "version"), map[string]string{
		"party.number_pattern": "a.number_pattern", "party.credit_pattern": "a.credit_pattern",
	}),
	joins: map[string]string{"party.": "left join parties a on a.performer_id = r.id"},
	nested: map[string]nested{"series": {
		from:  "series s where s.performer_id = r.id",
		order: "s.kind, s.year",
		columns: map[string]string{
			"kind": "s.kind", "year": "s.year", "last_seq": "s.last_seq",
			"count": "(select count(*) from issued_documents d where (d.performer_id, d.kind, d.year) = (s.performer_id, s.kind, s.year))",
		},
	}},
}

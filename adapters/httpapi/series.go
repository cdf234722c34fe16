package httpapi

import (
	"net/http"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// PerformerSeries returns the route of the number series of performers.
func PerformerSeries(series query.RecordReader) Resource {
	r := endpoint[readmodel.NoFilter]{
		path: "performer", table: readmodel.Series, format: jsonFormat, record: "PerformerSeries", docs: &seriesDocs,
	}
	return Resource{r.route(http.MethodGet, "/:id/series", apidoc.Read, r.read(series))}
}

var seriesDocs = apidoc.Docs{
	Operations: map[apidoc.Verb]string{
		apidoc.Read: "A series numbers the issued invoices or the credit notes of a performer, those of one year or of all years. It begins " +
			"with its first document.",
	},
	Attributes: apidoc.Attributes{
		"id":    "The performer.",
		"items": "The series: those of invoices first, by ascending year.",
	},
	Embedded: map[string]apidoc.Attributes{
		"NumberSeries": {
			"kind":  "`invoice` or `credit`.",
			"year":  "The year of the documents; null if the numbers go on over the years.",
			"first": "The first number.",
			"last":  "The last number.",
			"count": "The number of issued documents.",
			"next":  "The number that the next document gets.",
			"gaps":  "The number of missing documents: 0, unless a document was deleted in the database itself.",
		},
	},
}

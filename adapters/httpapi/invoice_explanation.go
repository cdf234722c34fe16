package httpapi

import (
	"net/http"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func explained(explanations query.RecordReader) route {
	r := endpoint[readmodel.NoFilter]{
		path:   "invoice",
		table:  readmodel.InvoiceExplanations,
		format: xmlFormat,
		record: "ExplainedInvoice",
		docs:   &explainedInvoiceDocs,
	}
	return r.route(http.MethodGet, "/:id/explain", apidoc.Read, r.read(explanations))
}

var explainedInvoiceDocs = apidoc.Docs{
	Operations: map[apidoc.Verb]string{
		apidoc.Read: "The explanation shows how each amount of the invoice is computed, so that it can be verified by hand.",
	},
	Attributes: apidoc.Attributes{
		"vat_use":     "Whether VAT is charged, as the invoice stores it.",
		"vat_percent": "The percentage of VAT that the invoice stores. A later change of the performer does not show here.",
		"items":       "The lines, by ascending id.",
		"vat":         "The amounts by VAT category and rate, from which those of the invoice are added up.",
		"total_price": "The sum of the lines, less the discount.",
		"vat_price":   "The VAT.",
		"pay_price":   "The amount to pay.",
	},
	Embedded: map[string]apidoc.Attributes{
		"ExplainedInvoiceItem": {
			"count": "The quantity.",
			"price": "The unit price.",

			"total_price": "The price of the line.",
		},
		"ExplainedInvoiceVAT": {
			"vat_category": "The VAT category of the lines; null: that of the performer's party, where it charges no VAT.",
			"vat_percent":  "The VAT rate, in percent.",
			"lines":        "The sum of the lines.",
			"discount":     "The discount on it.",
			"total_price":  "The sum less the discount.",
			"vat_price":    "The VAT on it.",
		},
		"ExplainedAmount": {
			"formula":  "How the amount is computed from other attributes and results, and in a credit note from numbers of former ones.",
			"exact":    "The value of the formula before rounding, with all its digits.",
			"rounding": "The rounding mode; null if the exact value needs no rounding.",
			"digits":   "The number of fraction digits of the result.",
			"result":   "The amount.",
		},
	},
}

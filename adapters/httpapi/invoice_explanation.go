package httpapi

import (
	"net/http"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func explained(explanations query.Records) route {
	r := resource[readmodel.NoFilter]{
		path:   "invoice",
		parser: query.NewParser(readmodel.InvoiceExplanations),
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
		"id":          apidoc.Sample("", "77"),
		"vat_use":     apidoc.Sample("Whether VAT is charged, as the invoice stores it.", "t"),
		"vat_percent": apidoc.Sample("The percentage of VAT that the invoice stores. A later change of the performer does not show here.", "19.00"),
		"items":       apidoc.Sample("The lines, by ascending id."),
		"total_price": apidoc.Sample("The sum of the lines."),
		"vat_price":   apidoc.Sample("The VAT on the sum."),
		"pay_price":   apidoc.Sample("The amount to pay."),

		"total_price.formula": apidoc.Sample("", "sum of the lines"),
		"total_price.exact":   apidoc.Sample("", "27741"),
		"total_price.digits":  apidoc.Sample("", "4"),
		"total_price.result":  apidoc.Sample("", "27741.0000"),

		"vat_price.formula":  apidoc.Sample("", "total_price * vat_percent / 100"),
		"vat_price.exact":    apidoc.Sample("", "5270.79"),
		"vat_price.rounding": apidoc.Sample("", "half away from zero"),
		"vat_price.digits":   apidoc.Sample("", "4"),
		"vat_price.result":   apidoc.Sample("", "5270.7900"),

		"pay_price.formula": apidoc.Sample("", "total_price + vat_price"),
		"pay_price.exact":   apidoc.Sample("", "33011.79"),
		"pay_price.digits":  apidoc.Sample("", "4"),
		"pay_price.result":  apidoc.Sample("", "33011.7900"),
	},
	Embedded: map[string]apidoc.Attributes{
		"ExplainedInvoiceItem": {
			"id":    apidoc.Sample("", "301", "302", "303"),
			"name":  apidoc.Sample("", "Bed, oak, 160 cm", "Wardrobe, two doors", "Fitting"),
			"count": apidoc.Sample("The quantity.", "12", "12", "37.5"),
			"price": apidoc.Sample("The unit price.", "1240.0000", "890.5000", "58.0000"),

			"total_price":          apidoc.Sample("The price of the line."),
			"total_price.formula":  apidoc.Sample("", "count * price"),
			"total_price.exact":    apidoc.Sample("", "14880", "10686", "2175"),
			"total_price.rounding": apidoc.Sample("", "half away from zero"),
			"total_price.digits":   apidoc.Sample("", "4"),
			"total_price.result":   apidoc.Sample("", "14880.0000", "10686.0000", "2175.0000"),
		},
		"ExplainedAmount": {
			"formula":  apidoc.Sample("How the amount is computed from other attributes and results."),
			"exact":    apidoc.Sample("The value of the formula before rounding, with all its digits."),
			"rounding": apidoc.Sample("The rounding mode; null if the exact value needs no rounding."),
			"digits":   apidoc.Sample("The number of fraction digits of the result."),
			"result":   apidoc.Sample("The amount."),
		},
	},
}

package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewDocumentInputs reads what a document is made from, in one statement.
func NewDocumentInputs(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, documentInputs)
}

var documentInputs = &mapping{
	resource: readmodel.DocumentInputs,
	table:    "invoices",
	columns: merge(
		own("id", "version", "number", "date", "due_date", "notice", "performer_id", "client_id", "vat_use", "vat_percent", "pay_price"),
		map[string]string{"former_vat_price": formerVATPrice},
		map[string]string{"status_id": "r.status", "issued_on": "date_trunc('second', r.issued_on at time zone 'UTC')"},
		map[string]string{"credited.number": "o.number", "credited.date": "o.date"},
		embedded("performer.", "p", readmodel.Performers.Attributes),
		map[string]string{"issued": "convert_from(d.document, 'UTF8')"},
		map[string]string{"client.name": "c.name", "client.company_address": "c.company_address", "client.real_address": "c.real_address"},
		embedded("seller.", "s", readmodel.PerformerParties.Attributes),
		embedded("buyer.", "b", readmodel.ClientParties.Attributes),
		digests("pictures."),
	),
	joins: map[string]string{
		"issued":     "left join issued_documents d on d.invoice_id = r.id",
		"credited.":  "left join invoices o on o.id = r.credits",
		"performer.": "left join performers p on p.id = r.performer_id",
		"client.":    "left join clients c on c.id = r.client_id",
		"seller.":    "left join parties s on s.performer_id = r.performer_id",
		"buyer.":     "left join parties b on b.client_id = r.client_id",
	},
	nested: map[string]nested{"items": {
		from:  "invoice_lines l where l.invoice_id = r.id",
		order: "l.id",
		columns: map[string]string{
			"id": "l.id", "name": "l.name", "units": "l.units", "count": "l.count", "price": "l.price", "total_price": "l.total_price",
			"credits": "l.credits",
		},
	}, "former": formerLines},
}

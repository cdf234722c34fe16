package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewDocumentInputs reads what a document is made from, in one statement.
func NewDocumentInputs(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, documentInputs)
}

var documentInputs = mapped(mapping{
	resource: readmodel.DocumentInputs,
	table:    "invoices",
	columns: digests("pictures.", map[string]string{
		"former_vat_price": formerVATPrice,
		"status_id":        "r.status",
		"issued_on":        "date_trunc('second', r.issued_on at time zone 'UTC')",
		"issued":           "convert_from(d.document, 'UTF8')",
	}),
	joins: map[string]join{
		"issued":     {"", "left join issued_documents d on d.invoice_id = r.id"},
		"credited.":  {"o", "left join invoices o on o.id = r.credits"},
		"performer.": {"p", "left join performers p on p.id = r.performer_id"},
		"client.":    {"c", "left join clients c on c.id = r.client_id"},
		"seller.":    {"s", "left join parties s on s.performer_id = r.performer_id"},
		"buyer.":     {"b", "left join parties b on b.client_id = r.client_id"},
	},
	nested: map[string]nested{"items": linesOfInvoice, "former": formerLines},
})

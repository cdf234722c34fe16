package pgread

import (
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewPayments returns the reader of payments.
func NewPayments(db Querier) readmodel.Reader[readmodel.PaymentFilter] {
	type asked = readmodel.PaymentFilter
	ofInvoice := filter[asked]{
		condition{
			name: "invoice_id", selective: true,
			where: "r.id in (select a.payment_id from allocations a where a.invoice_id = any(?::bigint[]) and a.reversed_at is null)",
		},
		func(f asked) []any { return numberList(f.InvoiceIDs) },
	}
	return newReader(db, payments,
		anyOf("client_id", func(f asked) []client.ID { return f.ClientIDs }).few(),
		ofInvoice,
		anyOf("performer_id", func(f asked) []performer.ID { return f.PerformerIDs }),
		whereText("date_from", "r.date >= ?::text::date", func(f asked) string { return string(f.DateFrom) }),
		whereText("date_to", "r.date <= ?::text::date", func(f asked) string { return string(f.DateTo) }),
		whereText("method", "r.method = ?", func(f asked) string { return f.Method }),
		whereText("reference", "r.reference = ?", func(f asked) string { return f.Reference }).few(),
		flagged("left", "r.rest <> 0 and ?::boolean", true, func(f asked) bool { return f.Left }), // as a partial index has it
		withRef(func(f asked) string { return f.Ref }),
		updatedSince("updated_on", func(f asked) readmodel.Instant { return f.UpdatedSince }),
		withID(func(f asked) []payment.ID { return f.IDs }),
	)
}

// whereText returns the filter for the records that meet the condition on a text.
func whereText[F any](param, where string, value func(F) string) filter[F] {
	return filter[F]{condition{name: param, where: where}, func(f F) []any { return text(value(f)) }}
}

var payments = mapped(mapping{
	resource: readmodel.Payments,
	table:    "payments",
	columns:  map[string]string{"left": "r.rest", "automatic": "r.automatic_of is not null"},
	indexed:  []string{"date", "updated_on"},
	isLong:   true,
	nested: map[string]nested{
		"items": {from: "allocations l where l.payment_id = r.id and l.reversed_at is null", alias: "l", order: "l.id"},
	},
})

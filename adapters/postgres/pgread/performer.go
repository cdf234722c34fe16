package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewPerformers returns the reader of performers.
func NewPerformers(db Querier) readmodel.Reader[readmodel.PerformerFilter] {
	return newReader(db, performers, withRef(func(f readmodel.PerformerFilter) string { return f.Ref }))
}

var performers = &mapping{
	resource: readmodel.Performers,
	table:    "performers",
	columns: own(
		"id", "version", "status", "name", "company_name", "company_address", "real_address", "bank_details",
		"company_details", "leader", "leader_rank", "booker", "phone", "email", "vat_use", "vat_percent",
		"stamp_file", "leader_sig_file", "booker_sig_file", "logo", "created_at", "updated_at", "ref",
	),
	keys: merge(sortKeys("name"), performerKeys(
		"company_name", "company_address", "real_address", "bank_details", "company_details", "leader", "leader_rank",
		"booker", "phone", "email", "stamp_file", "leader_sig_file", "booker_sig_file", "logo",
	)),
	long: []string{"company_address", "real_address", "bank_details", "company_details"},
}

// performerKeys returns the keys of texts other than the name: they share a column, since they
// serve to sort a handful of rows.
func performerKeys(names ...string) map[string]string {
	keys := make(map[string]string, len(names))
	for _, name := range names {
		keys[name] = "(r.text_keys ->> '" + name + `') collate "C"`
	}
	return keys
}

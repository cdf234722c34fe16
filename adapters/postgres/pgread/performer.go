package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewPerformers returns the reader of performers.
func NewPerformers(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, performers)
}

var performers = &mapping{
	resource: readmodel.Performers,
	table:    "performers",
	columns: map[string]string{
		"id":              "r.id",
		"version":         "r.version",
		"status":          "r.status",
		"name":            "r.name",
		"company_name":    "r.company_name",
		"company_address": "r.company_address",
		"real_address":    "r.real_address",
		"bank_details":    "r.bank_details",
		"company_details": "r.company_details",
		"leader":          "r.leader",
		"leader_rank":     "r.leader_rank",
		"booker":          "r.booker",
		"phone":           "r.phone",
		"email":           "r.email",
		"vat_use":         "r.vat_use",
		"vat_percent":     "r.vat_percent",
		"stamp_file":      "r.stamp_file",
		"leader_sig_file": "r.leader_sig_file",
		"booker_sig_file": "r.booker_sig_file",
		"logo":            "r.logo",
		"created_at":      "r.created_at",
		"updated_at":      "r.updated_at",
	},
	keys: map[string]string{
		"name":            "r.name_key",
		"company_name":    performerKey("company_name"),
		"company_address": performerKey("company_address"),
		"real_address":    performerKey("real_address"),
		"bank_details":    performerKey("bank_details"),
		"company_details": performerKey("company_details"),
		"leader":          performerKey("leader"),
		"leader_rank":     performerKey("leader_rank"),
		"booker":          performerKey("booker"),
		"phone":           performerKey("phone"),
		"email":           performerKey("email"),
		"stamp_file":      performerKey("stamp_file"),
		"leader_sig_file": performerKey("leader_sig_file"),
		"booker_sig_file": performerKey("booker_sig_file"),
		"logo":            performerKey("logo"),
	},
	long: []string{"company_address", "real_address", "bank_details", "company_details"},
}

// performerKey returns the key of a text other than the name: they share a
// column, since they serve to sort a handful of rows.
func performerKey(attribute string) string {
	return "(r.text_keys ->> '" + attribute + `') collate "C"`
}

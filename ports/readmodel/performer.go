package readmodel

// PerformerFilter filters a list of performers.
type PerformerFilter struct {
	Ref string
}

// Performers has the attributes of performers.
var Performers = &Resource{
	Name:        "performer",
	DefaultSort: "name",
	PerPage:     20,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "status", Kind: Integer, Sort: Ascending},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "company_name", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "company_address", Kind: Text, Optional: true},
		{Name: "real_address", Kind: Text, Optional: true},
		{Name: "bank_details", Kind: Text, Optional: true},
		{Name: "company_details", Kind: Text, Optional: true},
		{Name: "leader", Kind: Text, Optional: true},
		{Name: "leader_rank", Kind: Text, Optional: true},
		{Name: "booker", Kind: Text, Optional: true},
		{Name: "phone", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "email", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "vat_use", Kind: Bool, Sort: Ascending},
		{Name: "vat_percent", Kind: Percent, Sort: Ascending},
		{Name: "stamp_file", Kind: Text, Optional: true},
		{Name: "leader_sig_file", Kind: Text, Optional: true},
		{Name: "booker_sig_file", Kind: Text, Optional: true},
		{Name: "logo", Kind: Text, Optional: true},
		{Name: "created_at", Kind: Time, Sort: Ascending},
		{Name: "updated_at", Kind: Time, Sort: Ascending},
		{Name: "ref", Kind: Text, Optional: true},
	},
}

package readmodel

// Statuses has the attributes of statuses.
var Statuses = &Resource{
	Name:        "status",
	DefaultSort: "name",
	PerPage:     20, PagedOnRequest: true,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "default", Kind: Bool, Sort: Ascending},
		{Name: "color", Kind: Text, Optional: true},
	},
}

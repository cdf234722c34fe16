package readmodel

// NoFilter is the filter of a list that cannot be narrowed.
type NoFilter struct{}

// Users is the table of users.
var Users = &Resource{
	Name:        "user",
	DefaultSort: "name",
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "username", Kind: Text, Sort: Ascending},
		{Name: "fname", Kind: Text, Sort: Ascending},
		{Name: "lname", Kind: Text, Sort: Ascending},
		{Name: "email", Kind: Text, Sort: Ascending},
	},
}

// Statuses is the table of the statuses of deals.
var Statuses = &Resource{
	Name:        "status",
	DefaultSort: "name",
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "default", Kind: Bool, Sort: Ascending},
		{Name: "color", Kind: Text, Sort: Ascending},
	},
}

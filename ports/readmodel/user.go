package readmodel

// NoFilter is the filter of a list without filters.
type NoFilter struct{}

// Users is the table of users.
var Users = &Resource{
	Name:        "user",
	DefaultSort: "name",
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "username", Kind: Text, Sort: Ascending},
		{Name: "fname", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "lname", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "email", Kind: Text, Sort: Ascending, Optional: true},
	},
}

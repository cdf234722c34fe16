package readmodel

import "slices"

// NoFilter is the filter of a list without filters.
type NoFilter struct{}

// Users has the attributes of users.
var Users = &Resource{
	Name:        "user",
	DefaultSort: "name",
	PerPage:     20, PagedOnRequest: true,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "username", Kind: Text, Sort: Ascending},
		{Name: "fname", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "lname", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "email", Kind: Text, Sort: Ascending, Optional: true},
	},
}

// PublicUsers has the attributes of users that requests without a token get.
var PublicUsers = &Resource{
	Name:        Users.Name,
	DefaultSort: Users.DefaultSort,
	PerPage:     Users.PerPage, PagedOnRequest: true,
	Attributes: slices.DeleteFunc(slices.Clone(Users.Attributes), func(a Attribute) bool {
		return a.Name == "username" || a.Name == "email"
	}),
}

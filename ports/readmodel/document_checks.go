package readmodel

// DocumentChecks has the attributes of the check of a document.
var DocumentChecks = &Resource{
	Name: "check of a document",
	Attributes: []Attribute{
		{Name: "id", Kind: ID},
		{Name: "as", Kind: Text},
		{Name: "items", Kind: List, As: "Finding", Of: []Attribute{
			{Name: "rule", Kind: Text},
			{Name: "term", Kind: Text, Optional: true},
			{Name: "record", Kind: Text},
			{Name: "field", Kind: Text},
			{Name: "message", Kind: Text},
		}},
	},
}

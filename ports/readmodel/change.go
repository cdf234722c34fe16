package readmodel

// ChangeFilter filters the log of changes by the record.
type ChangeFilter struct {
	Resource string
	RecordID int64
}

// Changes has the attributes of entries of the log of changes.
var Changes = &Resource{
	Name:        "change of a record",
	DefaultSort: "-id",
	PerPage:     20,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "at", Kind: Time},
		{Name: "action", Kind: Text},
		{Name: "user_id", Kind: ID, Refers: "user", Optional: true},
		{Name: "request_id", Kind: Text, Optional: true},
		{Name: "cause", Kind: Text, Optional: true},
		{Name: "attributes", Kind: List, Of: changedAttribute, As: "ChangedAttribute"},
	},
}

var changedAttribute = []Attribute{
	{Name: "name", Kind: Text},
	{Name: "old", Kind: Text, Optional: true},
	{Name: "new", Kind: Text, Optional: true},
}

package readmodel

// DocumentInputs has the values that the document of an invoice is made from.
var DocumentInputs = &Resource{
	Name: "invoice",
	Attributes: []Attribute{
		{Name: "id", Kind: ID},
		{Name: "number", Kind: Text},
		{Name: "date", Kind: Time},
		{Name: "due_date", Kind: Day, Optional: true},
		{Name: "notice", Kind: Text, Optional: true},
		{Name: "performer_id", Kind: ID},
		{Name: "client_id", Kind: ID},
		{Name: "vat_use", Kind: Bool},
		{Name: "vat_percent", Kind: Percent},
		{Name: "pay_price", Kind: Money},
		{Name: "status_id", Kind: Integer},
		{Name: "former_vat_price", Kind: Money},
		{Name: "issued_on", Kind: Time, Optional: true},
		{Name: "issued", Kind: Text, Optional: true},
		{Name: "credited", Kind: Object, Of: []Attribute{{Name: "number", Kind: Text}, {Name: "date", Kind: Time}}},
		{Name: "performer", Kind: Object, Of: Performers.Attributes},
		{Name: "client", Kind: Object, Of: []Attribute{
			{Name: "name", Kind: Text},
			{Name: "company_address", Kind: Text, Optional: true},
			{Name: "real_address", Kind: Text, Optional: true},
		}},
		{Name: "seller", Kind: Object, Of: PerformerParties.Attributes},
		{Name: "buyer", Kind: Object, Of: ClientParties.Attributes},
		{Name: "pictures", Kind: Object, Of: pictureDigests()},
		formerCredits,
		{Name: "items", Kind: List, Of: []Attribute{
			{Name: "id", Kind: ID},
			{Name: "name", Kind: Text},
			{Name: "units", Kind: Text, Optional: true},
			{Name: "count", Kind: Quantity},
			{Name: "price", Kind: Money},
			{Name: "total_price", Kind: Money},
			{Name: "credits", Kind: ID, Optional: true},
		}},
	},
}

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

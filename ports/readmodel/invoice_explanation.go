package readmodel

// InvoiceInputs has the values from which the amounts of an invoice are computed.
var InvoiceInputs = &Resource{
	Name: "invoice",
	Attributes: []Attribute{
		{Name: "id", Kind: ID},
		{Name: "vat_use", Kind: Bool},
		{Name: "vat_percent", Kind: Percent},
		{Name: "digits", Kind: Integer},
		{Name: "former_vat_price", Kind: Money},
		formerCredits,
		{Name: "items", Kind: List, Of: []Attribute{
			{Name: "id", Kind: ID},
			{Name: "name", Kind: Text},
			{Name: "count", Kind: Quantity},
			{Name: "price", Kind: Money},
			{Name: "credits", Kind: ID, Optional: true},
		}},
	},
}

// formerCredits has what the credit notes before a credit note have of the lines of the invoice.
var formerCredits = Attribute{Name: "former", Kind: List, Of: []Attribute{
	{Name: "id", Kind: ID},
	{Name: "count", Kind: Quantity},
	{Name: "total_price", Kind: Money},
}}

// InvoiceExplanations has the attributes of invoices with explained amounts.
var InvoiceExplanations = &Resource{
	Name: "explained invoice",
	Attributes: []Attribute{
		{Name: "id", Kind: ID},
		{Name: "vat_use", Kind: Bool},
		{Name: "vat_percent", Kind: Percent},
		{Name: "items", Kind: List, Of: explainedLine, As: "ExplainedInvoiceItem"},
		{Name: "total_price", Kind: Object, Of: explainedAmount, As: "ExplainedAmount"},
		{Name: "vat_price", Kind: Object, Of: explainedAmount, As: "ExplainedAmount"},
		{Name: "pay_price", Kind: Object, Of: explainedAmount, As: "ExplainedAmount"},
	},
}

// explainedLine is a line of an invoice with the step that computes its price.
var explainedLine = []Attribute{
	{Name: "id", Kind: ID},
	{Name: "name", Kind: Text},
	{Name: "count", Kind: Quantity},
	{Name: "price", Kind: Money},
	{Name: "total_price", Kind: Object, Of: explainedAmount, As: "ExplainedAmount"},
}

// explainedAmount is the step that computes an amount.
var explainedAmount = []Attribute{
	{Name: "formula", Kind: Text},
	{Name: "exact", Kind: Decimal},
	{Name: "rounding", Kind: Text, Optional: true},
	{Name: "digits", Kind: Integer},
	{Name: "result", Kind: Money},
}

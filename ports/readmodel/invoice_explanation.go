package readmodel

// InvoiceInputs has the values from which the amounts of an invoice are computed.
var InvoiceInputs = &Resource{
	Name: "invoice",
	Attributes: []Attribute{
		{Name: "id", Kind: ID},
		{Name: "vat_use", Kind: Bool},
		{Name: "vat_percent", Kind: Percent},
		{Name: "digits", Kind: Integer},
		{Name: "discount_percent", Kind: Percent},
		{Name: "adjustments", Kind: List, Of: invoiceAdjustments},
		formerCredits,
		{Name: "former_adjustments", Kind: List, Of: invoiceAdjustments},
		{Name: "items", Kind: List, Of: []Attribute{
			{Name: "id", Kind: ID},
			{Name: "name", Kind: Text},
			{Name: "count", Kind: Quantity},
			{Name: "price", Kind: Money},
			{Name: "base_count", Kind: Quantity, Optional: true},
			{Name: "discount_percent", Kind: Percent},
			{Name: "adjustments", Kind: List, Of: lineAdjustments},
			{Name: "vat_category", Kind: Text, Optional: true},
			{Name: "vat_percent", Kind: Percent, Optional: true},
			{Name: "total_price", Kind: Money},
			{Name: "credits", Kind: ID, Optional: true},
		}},
	},
}

// formerCredits has what the credit notes before a credit note have of the lines of the invoice.
var formerCredits = Attribute{Name: "former", Kind: List, Of: []Attribute{
	{Name: "id", Kind: ID},
	{Name: "vat_category", Kind: Text, Optional: true},
	{Name: "vat_percent", Kind: Percent, Optional: true},
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
		{Name: "discount_percent", Kind: Percent},
		{Name: "items", Kind: List, Of: explainedLine, As: "ExplainedInvoiceItem"},
		{Name: "vat", Kind: List, Of: explainedVAT, As: "ExplainedInvoiceVAT"},
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
	{Name: "base_count", Kind: Quantity, Optional: true},
	{Name: "discount_percent", Kind: Percent},
	{Name: "vat_category", Kind: Text, Optional: true},
	{Name: "vat_percent", Kind: Percent, Optional: true},
	{Name: "total_price", Kind: Object, Of: explainedAmount, As: "ExplainedAmount"},
}

// explainedVAT is what the lines with a VAT category and rate come to; the category is null for that of the performer where it
// charges no VAT.
var explainedVAT = []Attribute{
	{Name: "vat_percent", Kind: Percent},
	{Name: "vat_category", Kind: Text, Optional: true},
	{Name: "lines", Kind: Money},
	{Name: "discount", Kind: Object, Of: explainedAmount, As: "ExplainedAmount"},
	{Name: "adjustments", Kind: Money},
	{Name: "total_price", Kind: Object, Of: explainedAmount, As: "ExplainedAmount"},
	{Name: "vat_price", Kind: Object, Of: explainedAmount, As: "ExplainedAmount"},
}

// explainedAmount is the step that computes an amount.
var explainedAmount = []Attribute{
	{Name: "formula", Kind: Text},
	{Name: "exact", Kind: Decimal},
	{Name: "rounding", Kind: Text, Optional: true},
	{Name: "digits", Kind: Integer},
	{Name: "result", Kind: Money},
}

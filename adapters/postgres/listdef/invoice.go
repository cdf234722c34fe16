package listdef

// Invoices declares the read models of invoices.
var Invoices = &List{
	Table: "invoices", CreatedAt: "created_on", TextKey: "number_key", Search: "invoice_search",
	Changes: "invoice_changes",
	Columns: []Column{
		number("client_id", "bigint"), number("user_id", "bigint"), number("type_id", "bigint"), number("status", "smallint"),
		number("month", "integer"),
		{Name: "paid_month", Type: "integer", Nullable: true, Param: "timestamptz", Value: Month("%[1]s")},
		{Name: "line_count", Type: "integer", Record: "r.total_count"},
	},
	Measures: []string{"line_count"},
	// Sums by three keys at once, a user's by both months, would have nearly as many
	// rows as all others together.
	Rollup: &Rollup{
		Table: "invoice_totals",
		Keys: []Key{
			{Name: "user_id", Any: true}, {Name: "paid_month", Null: "-1", Any: true}, {Name: "month", Any: true},
			{Name: "type_id"}, {Name: "status"},
		},
		MaxKeys: 2,
	},
	ClientCount: "invoices",
}

// InvoiceLines declares the read models of the lines of all invoices.
var InvoiceLines = &List{
	Table:  "invoice_lines",
	Parent: Invoices, PartCount: "line_count",
}

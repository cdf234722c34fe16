package readmodel

import "context"

// ReportQuery has the parameters of reports, of which each uses some.
type ReportQuery struct {
	At       Date    // default: today
	KnownAt  Instant // default: all that is known
	From, To Date    // inclusive; default: the year of To, until today
	By       string  // what has a row each
	Basis    string  // Issued or Received
	Select   *Selection
}

// What a report of revenue counts.
const (
	Issued   = "issued"   // what was invoiced
	Received = "received" // what was paid
)

// Report reads a report as exactly one row, in one snapshot. Its list items has the rows, and totals their sums, one for each
// currency.
type Report interface {
	Read(ctx context.Context, q ReportQuery) (*Rows, error)
}

var reportCurrency = Attribute{Name: "currency", Kind: Text, Optional: true}

// reported returns the attributes of a report: its parameters, and its rows, which the keys tell apart, with their totals.
func reported(schema string, parameters, keys, values []Attribute) []Attribute {
	totals := append([]Attribute{reportCurrency}, values...)
	return append(parameters,
		Attribute{Name: "items", Kind: List, As: schema + "Row", Of: append(keys, totals...)},
		Attribute{Name: "totals", Kind: List, As: schema + "Total", Of: totals},
	)
}

func named() []Attribute {
	return []Attribute{{Name: "id", Kind: ID, Optional: true}, {Name: "name", Kind: Text}}
}

var reportPeriod = []Attribute{{Name: "from", Kind: Day}, {Name: "to", Kind: Day}, {Name: "basis", Kind: Text}}

// Receivables has the attributes of the report of what was due.
var Receivables = &Resource{
	Name: "receivables",
	Attributes: reported("Receivables", []Attribute{
		{Name: "at", Kind: Day}, {Name: "known_at", Kind: Time, Optional: true}, {Name: "by", Kind: Text},
	}, named(), []Attribute{
		{Name: "not_due", Kind: Money},
		{Name: "overdue_1_30", Kind: Money},
		{Name: "overdue_31_60", Kind: Money},
		{Name: "overdue_61_90", Kind: Money},
		{Name: "overdue_over_90", Kind: Money},
		{Name: "credit", Kind: Money},
		{Name: "total", Kind: Money},
	}),
}

// Revenue has the attributes of the report of what was invoiced or received.
var Revenue = &Resource{
	Name: "revenue",
	Attributes: reported("Revenue", append(reportPeriod[:3:3], Attribute{Name: "by", Kind: Text}), named(), []Attribute{
		{Name: "count", Kind: Integer},
		{Name: "net", Kind: Money},
		{Name: "vat", Kind: Money},
		{Name: "gross", Kind: Money},
		{Name: "waived", Kind: Money},
	}),
}

// VAT has the attributes of the report of the VAT on what was invoiced or received.
var VAT = &Resource{
	Name: "VAT",
	Attributes: reported("VAT", reportPeriod[:3:3], []Attribute{
		{Name: "vat_category", Kind: Text}, {Name: "vat_percent", Kind: Percent},
	}, []Attribute{
		{Name: "taxable", Kind: Money}, {Name: "vat", Kind: Money},
	}),
}

// Overdue has the attributes of the report of what is overdue.
var Overdue = &Resource{
	Name: "overdue",
	Attributes: reported("Overdue", []Attribute{{Name: "at", Kind: Day}, {Name: "by", Kind: Text}}, named(), []Attribute{
		{Name: "count", Kind: Integer}, {Name: "oldest", Kind: Day}, {Name: "total", Kind: Money},
	}),
}

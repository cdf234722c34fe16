package architecture

// recipes are the recipes of CONTRIBUTING.md with their models.
var recipes = []Recipe{
	{
		Title:  "Add a field",
		Model:  []string{"client", "real_address|RealAddress"},
		Except: map[string]string{"cmd/demo/data.go": demoData},
	},
	{
		Title: "Add a filter",
		Model: []string{"ClientFilter", "Email"},
	},
	{
		Title: "Add a resource",
		Model: []string{`Performers|NewPerformers|performers|performer.Performer|"performer"`},
		Except: map[string]string{
			"cmd/demo/data.go":                        demoData,
			"cmd/demo/demo.go":                        demoData,
			"ports/readmodel/invoice.go":              performersOfInvoices,
			"adapters/postgres/pgread/invoice.go":     performersOfInvoices,
			"adapters/postgres/pgstore/references.go": performersOfInvoices,
			"adapters/postgres/pgtrial/facts.go":      performersOfInvoices,
		},
	},
	{
		Title: "Add a rule",
		Model: []string{"ClientStaysWithManager"},
	},
	{
		Title: "Add a projection",
		Model: []string{`derive.DealHistory|pgstore.DealHistory|"deal_history_deal_fk"`},
	},
}

const (
	demoData             = "the demo data need not have it"
	performersOfInvoices = "invoices refer to their performers; the recipe is for a resource that no other refers to"
)

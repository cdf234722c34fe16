package architecture

// publicPackages are what a team's own program may use. Within a major version a name in
// these lists keeps its meaning; anything else may change with any version.
var publicPackages = []Public{
	{Folder: "cmd/program", Names: []string{"Main"}, Own: []string{}},
	{
		Folder: "application/rule",
		Names: []string{
			// Rules and reactions
			"Rule", "Adjustable", "Reaction", "Actions", "MaxChain",
			"Change", "Change.Operation", "Cause", "Requested", "OpenedForInvoice", "ClientOfInvoice", "AnotherDefault", "ReactionToAnother",
			"Facts", "UnpaidInvoices", "DealDocuments", "Lines", "ConcernsLines",
			// Adding them to the program
			"Option", "Registry", "Kind", "Kind.Rules", "Kind.Reactions",
			"Users", "Statuses", "DealTypes", "InvoiceTypes", "Performers", "Clients", "Contacts", "Deals", "Offers", "Contracts", "Invoices",
		},
		Own: []string{
			"NewRegistry", "Timed", "Registry.Compiled", "Registry.Compiler", "Registry.Has", "WithoutRules", "Registry.Observe", "Registry.Set", "Registry.Tried", "Compiled", "Observer",
			"Kind.IDOf", "MaxRounds", "ErrTooManyRounds", "Kind.WithID", "Kind.Check", "Kind.ReactionsOf", "NewFacts",
			"Compiler", "Expression", "Input", "Input.Operation", "Judgement",
			"Set", "Set.Facts", "Outcome", "Outcome.String", "Passed", "Refused", "Failed", "Verdict", "Verdict.Message", "Report", "Report.Refusals", "Report.ByRule",
			"ClientStaysWithManager", "ClientStaysWithManager.Check", "ClientStaysWithManager.Name",
			"DealStaysWithManager", "DealStaysWithManager.Check", "DealStaysWithManager.Name",
		},
	},
	{Folder: "application/rule/ruletest"},
	{Folder: "application/access", Names: []string{"Actor"}},
	{Folder: "domain/catalog"},
	{Folder: "domain/civil"},
	{Folder: "domain/client"},
	{Folder: "domain/contact"},
	{Folder: "domain/deal"},
	{Folder: "domain/document"},
	{Folder: "domain/fault"},
	{Folder: "domain/invoice"},
	{Folder: "domain/money"},
	{Folder: "domain/optional"},
	{Folder: "domain/performer"},
	{Folder: "domain/ruledef"},
	{Folder: "domain/text"},
	{Folder: "domain/token"},
	{Folder: "domain/user"},
}

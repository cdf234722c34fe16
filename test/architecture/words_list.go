package architecture

// removedWords are searched for by TestRemovedWordsAreGone. To remove a word from
// the project, add it here and replace what the test reports.
var removedWords = []RemovedWord{
	{Pattern: `by all accounts`, Use: "from every source"},
	{Pattern: `wall ?clocks?`, Use: "civil time"},
	{Pattern: `furnish(e[sd])?`, Use: "create, set up"},
	{Pattern: `sees to`, Use: "handles, ensures"},
	{Pattern: `knots?`, Use: "deadlock, contention scenario"},
	{Pattern: `tangl(e|es|ed|ing)|untangl\w*`, Use: "deadlock, contention"},
	{Pattern: `crowds?`, Use: "concurrent clients"},
	{Pattern: `guide ?book`, Use: "documentation tests"},
	{Pattern: `what survives`, Use: "the result, the remaining records"},
	{Pattern: `anew`, Use: "again: rebuilt, re-read"},
	{Pattern: `tells whether`, Use: "reports whether"},
	{Pattern: `whoever`, Use: "the noun: the operator, the caller"},
	{Pattern: `mend(s|ed|ing)?`, Use: "correct, repair"},
	{Pattern: `strangers?`, Use: "another user, an unknown client"},
	{Pattern: `keepers?`, Use: "worker, repository"},
	{Pattern: `roomy`, Use: "large"},
	{Pattern: `surroundings`, Use: "environment, context"},
	{Pattern: `unhurried(ly)?`, Use: "slow"},
	{Pattern: `patiently`, Use: "with retries"},
	{Pattern: `in vain`, Use: "without success"},
	{Pattern: `parted by`, Use: "separated by"},
	{Pattern: `bustl(e|es|ed|ing)`, Use: "workload"},
	{Pattern: `lessons?`, Use: "rule, finding"},
	{Pattern: `milestones?`, Use: "page index, segment"},
	{Pattern: `held against`, Use: "compared with"},
	{Pattern: `carried on`, Use: "continued"},
	{Pattern: `(is|are|be) told`, Use: "receives, learns"},
	{Pattern: `watch(e[ds]|ing)?|unwatched`, Use: "observe, check"},
	{Pattern: `(requests?|responses?|tokens?|statements?|connections?|bod(y|ies)|writes?) (is|are|was|were) refused|` +
		`refused (requests?|tokens?|statements?|connections?)|(tokens|statements|requests)_refused`,
		Use: "rejected; only a rule refuses"},
}

// vagueTestWords must not begin the name of a test, which begins with its subject.
var vagueTestWords = []string{
	"A", "An", "The", "What", "Whatever", "Where", "Wherever", "Who", "Whoever", "Whose", "Of", "That", "There", "It", "Each", "Every", "No",
	"Nothing", "Nobody", "All", "Only", "One", "Two", "With", "Without",
}

// vagueTestFolders are the folders whose tests still have such names.
var vagueTestFolders []string

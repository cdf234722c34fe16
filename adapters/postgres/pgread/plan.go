package pgread

// A path is an access path: how the rows of a page are found.
type path uint8

const (
	// inOrder reads the rows in the order of the list, from the end that is nearer
	// to the page or from the cursor. The database chooses the index; where none has
	// the order it sorts.
	inOrder path = iota
	// byRun merges runs of rows, which an index has in the order of the list: those of several months or ids.
	byRun
	// byCost sorts the matches if there are few of them, else it scans in order. The
	// statement decides, as the total is known only there.
	byCost
	// sortMatches finds, counts and sorts all matches.
	sortMatches
)

func (p path) String() string {
	return [...]string{"scan in order", "merge runs", "by cost", "count and sort matches"}[p]
}

type position uint8

const (
	whole    position = iota // the list has no pages
	first                    // the first page
	numbered                 // a later page, by its number
	after                    // the page after a cursor
	before                   // the page before a cursor
)

func (p position) String() string {
	return [...]string{"the whole list", "first page", "page by number", "page after a cursor", "page before a cursor"}[p]
}

// traits are what the access path depends on.
type traits struct {
	isLong   bool // the list may be long
	counts   bool // a value of each row is counted in another table
	hasTotal bool // a rollup has the total
	position position
	offset   int64 // how many rows are before a numbered page

	// The conditions:
	conditions int  // how many there are
	search     bool // one looks for a part of a text
	runs       bool // one is for runs in the default order
	values     int  // how many values one lists, each a run; 0 if none does
	inOrder    bool // there is one, whose rows an index has in the order of the list
	selective  bool // one leaves few records
	unindexed  bool // one is tested on each record

	// The order:
	byCreation bool // of creation or its reverse
	indexed    bool // an index has it
}

func (t traits) path() path {
	switch {
	case !t.hasTotal:
		return sortMatches
	case t.byCreation && t.runs:
		return byRun
	case t.position == numbered || t.byCreation || t.conditions == 0 || t.inOrder || !t.indexed:
		return inOrder
	}
	return byCost
}

// A slowness is why a statement may take long: what it looks at grows with the list.
type slowness uint8

const (
	notSlow      slowness = iota
	searchesRows          // it looks for a text in all records
	readsMatches          // it finds, counts and sorts all matches of a search
	sortsRows             // no index has the order
	skipsRows             // the page is far from the beginning
	countsRows            // the total is counted
	countsValues          // a value of each row is counted
)

func (s slowness) String() string {
	return [...]string{
		"not slow", "searches all rows", "reads all matches", "sorts all rows", "skips many rows", "counts rows", "counts values",
	}[s]
}

// fewRows is how many rows, or entries of an index, a statement may look at without
// being slow.
const fewRows = 10_000

// slowness returns why the statement may take long. Short lists, and those of few records of a
// long one, do only if they have an attribute that is counted.
func (t traits) slowness() slowness {
	switch {
	case t.counts:
		return countsValues
	case !t.isLong || t.selective:
		return notSlow
	case t.unindexed:
		return searchesRows
	case t.search:
		return readsMatches
	case !t.indexed:
		return sortsRows
	case t.isFar():
		return skipsRows
	case !t.hasTotal:
		return countsRows
	}
	return notSlow
}

// isFar reports whether the page is far from the beginning of the list, as each run is read that far. It may be near the end,
// which only its statement knows.
func (t traits) isFar() bool {
	return t.position == numbered && t.offset > fewRows/max(int64(t.values), 1)
}

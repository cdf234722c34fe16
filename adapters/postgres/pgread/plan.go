package pgread

// A path is an access path: how the rows of a page are found.
type path uint8

const (
	// scanInOrder reads the rows in the order of the list, from the end that is nearer
	// to the page or from the cursor. The database chooses the index; where none has
	// the order it sorts.
	scanInOrder path = iota
	// seekPageIndex starts at the place nearest to the page that the page index has.
	seekPageIndex
	// mergeMonths merges runs of rows, each of which an index has in the order of the
	// list: those of a month, or of a part of it.
	mergeMonths
	// byCost sorts the matches if there are few of them, else it scans in order. The
	// statement decides, as the total is known only there.
	byCost
	// scanAndFilter scans in order and tests each row for the substring, up to a limit.
	scanAndFilter
	// sortMatches finds all rows with the substring in the search table and sorts them.
	sortMatches
	// sortKnownMatches sorts the matches whose ids are cached, and what has changed.
	sortKnownMatches
)

func (p path) String() string {
	return [...]string{
		"scan in order", "seek in the page index", "merge months", "by cost", "scan and filter", "sort matches", "sort known matches",
	}[p]
}

// A totalStrategy is how the exact total comes about.
type totalStrategy uint8

const (
	countRows        totalStrategy = iota // count the rows that match
	sumRollup                             // sum the rollup, and the changes that are not folded
	clientCount                           // the count of one client, and such changes
	clientNameCounts                      // the counts of the clients whose names match, and such changes
	cachedCount                           // the cached match count, and the changes since
)

func (t totalStrategy) String() string {
	return [...]string{"count rows", "sum the rollup", "client count", "counts of matching clients", "cached match count and changes"}[t]
}

type plan struct {
	path  path
	total totalStrategy
	// fromNewest pages begin with the newest of all matches: its time is cached, and a
	// scan starts there.
	fromNewest bool
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

type request struct {
	readModels bool // they are asked; else the records alone
	hasTotals  bool // the read models know how many records there are
	filters    filterTraits
	sort       sortTraits
	position   position
	offset     int64 // how many rows are before a numbered page
	size       int64 // of the page
	total      int64 // as last read, for a page far from the beginning; 0 if it is not known
	matches    matches
	// shortPattern searches cannot use an index of trigrams.
	shortPattern bool
}

type filterTraits struct {
	count          int  // how many are set
	rolledUp       bool // the rollup has sums by all of them at once
	recorded       bool // the change table has the columns of all of them
	client         bool // it is one, for a client whose records are counted
	clientName     bool // it is one, for a part of such a client's name
	substring      bool // one looks for a part of a text
	onlySubstrings bool // all do
	months         bool // one is for months, each a run in the default order
	inOrder        bool // it is one, whose rows an index has in the order of the list
	selective      bool // one leaves few records
	unindexed      bool // one is tested on each record
}

type sortTraits struct {
	byCreation  bool // the order of creation or its reverse, which the page index has
	newestFirst bool // that of creation, the newest record first
	seekable    bool // it has cursors: one short attribute, then the id
}

func choose(r request) plan {
	p := plan{total: r.chooseTotal()}
	p.path = r.choosePath(p.total)
	p.fromNewest = p.total == cachedCount && r.position == first && r.sort.newestFirst
	return p
}

func (r request) chooseTotal() totalStrategy {
	switch f := r.filters; {
	case !r.readModels || !r.hasTotals:
		return countRows
	case f.rolledUp:
		return sumRollup
	case f.client:
		return clientCount
	case f.clientName:
		return clientNameCounts
	case f.recorded && r.isSearch():
		return cachedCount
	}
	return countRows
}

// isSearch reports whether what is cached of the matches decides the path.
func (r request) isSearch() bool {
	return r.readModels && r.filters.substring && r.position != whole
}

func (r request) choosePath(total totalStrategy) path {
	f := r.filters
	switch {
	case !r.readModels || r.position == whole:
		return scanInOrder
	case r.isSearch():
		return r.chooseSearchPath()
	case r.position == numbered && r.sort.byCreation && total == sumRollup && f.count == 0:
		return seekPageIndex
	case r.sort.byCreation && f.months:
		return mergeMonths
	case r.position == numbered || r.sort.byCreation || f.count == 0 || f.inOrder:
		return scanInOrder
	case total == sumRollup || total == clientCount:
		return byCost
	}
	return scanInOrder
}

func (r request) chooseSearchPath() path {
	isIndexed := r.sort.byCreation || r.sort.seekable && r.filters.onlySubstrings
	switch {
	case r.matches.ids != "":
		return sortKnownMatches
	case isIndexed && r.scanIsShorter():
		return scanAndFilter
	}
	return sortMatches
}

// scanIsShorter reports whether a scan in order probably reaches the end of the page
// sooner than all matches are sorted. If the matches are spread evenly, either reads
// at most about the square root of list size times page size.
func (r request) scanIsShorter() bool {
	m := r.matches
	rows := r.size
	if r.position == numbered { // read from the nearer end
		rows += min(r.offset, max(m.count-r.offset, 0))
	}
	return !m.clustered && m.count > 0 && m.count*m.count > rows*m.size
}

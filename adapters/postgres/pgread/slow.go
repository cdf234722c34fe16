package pgread

import (
	"context"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
)

// A slowness is why a statement may take long: what it looks at grows with the list.
type slowness uint8

const (
	notSlow      slowness = iota
	searchesRows          // it looks for a text in all records
	sortsRows             // no index has the order
	skipsRows             // the page is far from both ends
	countsRows            // the total is counted
	readsMatches          // it finds, counts or sorts all matches of a search
	readsRecords          // the read models are not ready
)

func (s slowness) String() string {
	return [...]string{
		"not slow", "searches all rows", "sorts all rows", "skips many rows", "counts rows", "reads all matches", "reads the records",
	}[s]
}

// fewRows is how many rows, or entries of an index, a statement may look at without
// being slow.
const fewRows = 10_000

// slowness returns why the statement of the plan may take long. Short lists, and those
// of few records of a long one, never do.
func (r request) slowness(p plan) slowness {
	switch f := r.filters; {
	case !r.hasTotals || f.selective:
		return notSlow
	case f.unindexed:
		return searchesRows
	case r.isSearch():
		return r.searchSlowness(p)
	case !r.sort.seekable:
		return sortsRows
	case p.path != seekPageIndex && r.skipsMany(r.total):
		return skipsRows
	case !r.readModels:
		return readsRecords
	case p.total == countRows:
		return countsRows
	}
	return notSlow
}

func (r request) searchSlowness(p plan) slowness {
	m := r.matches
	isShort := m.count > 0 && m.count <= fewRows && !r.shortPattern
	switch {
	case p.path == sortKnownMatches:
		return notSlow
	case p.total == countRows, p.total == clientNameCounts && !isShort, p.path == sortMatches && !isShort:
		return readsMatches
	case p.path == scanAndFilter && r.skipsMany(m.count):
		return skipsRows
	}
	return notSlow
}

// skipsMany reports whether the page is far from both ends of a list with that total;
// 0 if it is not known.
func (r request) skipsMany(total int64) bool {
	if r.position != numbered || r.offset <= fewRows {
		return false
	}
	return total == 0 || total-r.offset > fewRows
}

// admit runs a statement. One that is slow, for a reason, waits at the gate before it
// takes a connection. Its statement timeout is a fault.TooSlow that says what would be
// faster, unless the same request will be faster later.
func (r *reader[F]) admit(ctx context.Context, why slowness, l *listing[F], run func() error) error {
	if why == notSlow {
		return run()
	}
	if !l.isAdmitted {
		leave, err := r.gate.Enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
	}
	err := run()
	if why == readsRecords || ctx.Err() != nil || !postgres.IsStatementTimeout(err) {
		return err
	}
	return fault.New(fault.TooSlow, "the database did not finish this in time, and repeating it will not help: %s", r.advice(why, l)).WithCause(err)
}

func (r *reader[F]) advice(why slowness, l *listing[F]) string {
	switch why {
	case searchesRows:
		return "add " + strings.Join(r.selectiveFilters(), " or ")
	case sortsRows:
		advice := "sort by a single attribute that is not a long text"
		if filter := r.unsetFilter(l.key.set); filter != "" {
			advice += ", or add a filter, such as " + filter
		}
		return advice
	case skipsRows:
		return "follow the links to the next page, or read the list from its other end"
	case readsMatches:
		if l.key.shortPattern {
			return "search for a text with at least three letters or digits in a row"
		}
		return "search for a longer text"
	}
	return "use fewer filters"
}

func (r *reader[F]) selectiveFilters() (names []string) {
	for i := range r.filters {
		if f := &r.filters[i]; f.selective {
			names = append(names, f.params[0])
		}
	}
	return names
}

func (r *reader[F]) unsetFilter(set filterSet) string {
	for i := range r.filters {
		if f := &r.filters[i]; set&(1<<i) == 0 && f.search == nil && f.months == nil && !f.unindexed {
			return f.params[0]
		}
	}
	return ""
}

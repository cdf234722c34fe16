package pgread

import "testing"

// The filters and orders of the requests below.
var (
	unfiltered  = filterTraits{rolledUp: true, recorded: true, onlySubstrings: true}
	byUser      = filterTraits{count: 1, rolledUp: true, recorded: true}
	byClient    = filterTraits{count: 1, recorded: true, client: true}
	byClientToo = filterTraits{count: 2, recorded: true} // and by another
	byMonth     = filterTraits{count: 1, rolledUp: true, recorded: true, months: true}
	byName      = filterTraits{count: 1, recorded: true, substring: true, onlySubstrings: true}
	byNameToo   = filterTraits{count: 2, recorded: true, substring: true} // and by another
	byCompany   = filterTraits{count: 1, clientName: true, substring: true, onlySubstrings: true}
	byUnknown   = filterTraits{count: 1} // the read models know nothing of it

	newestFirst = sortTraits{byCreation: true, newestFirst: true, seekable: true}
	oldestFirst = sortTraits{byCreation: true, seekable: true}
	byPhone     = sortTraits{seekable: true}
	byAddress   = sortTraits{} // a long text
)

func TestPlanOfEachRequest(t *testing.T) {
	indexed := byUser
	indexed.inOrder = true
	const million = 1_000_000
	few := matches{count: 3, batch: 7, size: million, ids: "{1,2,3}"}
	some := matches{count: 800, batch: 7, size: million}
	many := matches{count: 50_000, batch: 7, size: million}
	clustered := matches{count: 50_000, batch: 7, size: million, clustered: true}
	sizeUnknown := matches{count: 10}

	for _, c := range []struct {
		request  string
		filters  filterTraits
		sort     sortTraits
		position position
		offset   int64
		matches  matches
		path     path
		total    totalStrategy
	}{
		{"a first page", unfiltered, newestFirst, first, 0, matches{}, scanInOrder, sumRollup},
		{"a page after a cursor", unfiltered, newestFirst, after, 0, matches{}, scanInOrder, sumRollup},
		{"a page before a cursor in another order", unfiltered, byPhone, before, 0, matches{}, scanInOrder, sumRollup},
		{"a page by number in the order of creation", unfiltered, newestFirst, numbered, 20, matches{}, seekPageIndex, sumRollup},
		{"a page by number in its reverse", unfiltered, oldestFirst, numbered, 500_000, matches{}, seekPageIndex, sumRollup},
		{"a page by number in another order", unfiltered, byPhone, numbered, 20, matches{}, scanInOrder, sumRollup},
		{"a page sorted by a long text", unfiltered, byAddress, first, 0, matches{}, scanInOrder, sumRollup},
		{"a whole list", unfiltered, newestFirst, whole, 0, matches{}, scanInOrder, sumRollup},

		{"user_id", byUser, newestFirst, first, 0, matches{}, scanInOrder, sumRollup},
		{"user_id, a page by number", byUser, newestFirst, numbered, 20, matches{}, scanInOrder, sumRollup},
		{"user_id in an order that an index has", indexed, byPhone, first, 0, matches{}, scanInOrder, sumRollup},
		{"user_id in an order without an index", byUser, byPhone, first, 0, matches{}, byCost, sumRollup},
		{"the same after a cursor", byUser, byPhone, after, 0, matches{}, byCost, sumRollup},
		{"the same, a page by number", byUser, byPhone, numbered, 20, matches{}, scanInOrder, sumRollup},
		{"client_id", byClient, newestFirst, first, 0, matches{}, scanInOrder, clientCount},
		{"client_id in another order", byClient, byPhone, first, 0, matches{}, byCost, clientCount},
		{"client_id with another filter", byClientToo, newestFirst, first, 0, matches{}, scanInOrder, countRows},
		{"client_id with another filter in another order", byClientToo, byPhone, first, 0, matches{}, scanInOrder, countRows},
		{"a filter that the read models do not know", byUnknown, byPhone, first, 0, matches{}, scanInOrder, countRows},

		{"month", byMonth, newestFirst, first, 0, matches{}, mergeMonths, sumRollup},
		{"month, a page by number", byMonth, newestFirst, numbered, 20, matches{}, mergeMonths, sumRollup},
		{"month in another order", byMonth, byPhone, first, 0, matches{}, byCost, sumRollup},

		{"name, few matches", byName, newestFirst, first, 0, few, sortKnownMatches, cachedCount},
		{"name, some matches", byName, newestFirst, first, 0, some, sortMatches, cachedCount},
		{"name, many matches", byName, newestFirst, first, 0, many, scanAndFilter, cachedCount},
		{"name, many matches in one place", byName, newestFirst, first, 0, clustered, sortMatches, cachedCount},
		{"name, many matches, the second page", byName, newestFirst, numbered, 10, many, scanAndFilter, cachedCount},
		{"name, many matches, a page in the middle", byName, newestFirst, numbered, 25_000, many, sortMatches, cachedCount},
		{"name, many matches, the last page", byName, newestFirst, numbered, 49_990, many, scanAndFilter, cachedCount},
		{"name, many matches in another order", byName, byPhone, first, 0, many, scanAndFilter, cachedCount},
		{"name, many matches by a long text", byName, byAddress, first, 0, many, sortMatches, cachedCount},
		{"name with another filter in another order", byNameToo, byPhone, first, 0, many, sortMatches, cachedCount},
		{"name with another filter", byNameToo, newestFirst, first, 0, many, scanAndFilter, cachedCount},
		{"company, for the first time", byCompany, newestFirst, first, 0, matches{}, sortMatches, clientNameCounts},
		{"company, many matches", byCompany, newestFirst, first, 0, many, scanAndFilter, clientNameCounts},
		{"a name that the read models cannot count", filterTraits{count: 2, substring: true}, newestFirst, first, 0, sizeUnknown, scanAndFilter, countRows},
	} {
		r := request{
			readModels: true, hasTotals: true, filters: c.filters, sort: c.sort,
			position: c.position, offset: c.offset, size: 10, matches: c.matches,
		}
		got := choose(r)
		if got.path != c.path || got.total != c.total {
			t.Errorf("%s: %s, %s; want %s, %s", c.request, got.path, got.total, c.path, c.total)
		}
		if want := c.total == cachedCount && c.position == first && c.sort == newestFirst; got.fromNewest != want {
			t.Errorf("%s: from the newest match: %t", c.request, got.fromNewest)
		}
	}
}

func TestPlanWithoutReadModelsCountsAndScans(t *testing.T) {
	for _, filters := range []filterTraits{unfiltered, byUser, byClient, byMonth, byName, byCompany} {
		for position := whole; position <= before; position++ {
			r := request{filters: filters, sort: newestFirst, position: position, size: 10, hasTotals: true, matches: matches{count: 1, ids: "{1}"}}
			if got, want := choose(r), (plan{path: scanInOrder, total: countRows}); got != want {
				t.Errorf("%+v, %s: %+v", filters, position, got)
			}
		}
	}
}

func TestPlanOfAListWithoutTotalsCountsItsRows(t *testing.T) {
	for position := whole; position <= before; position++ {
		r := request{readModels: true, filters: unfiltered, sort: byPhone, position: position, size: 10}
		if got, want := choose(r), (plan{path: scanInOrder, total: countRows}); got != want {
			t.Errorf("%s: %+v", position, got)
		}
	}
}

package pgread

import "testing"

func TestSlownessOfEachRequest(t *testing.T) {
	selective := filterTraits{count: 1, recorded: true, selective: true}
	byText := filterTraits{count: 1, unindexed: true}
	byTextToo := filterTraits{count: 2, selective: true, unindexed: true} // and by another
	byBothMonths := filterTraits{count: 3, recorded: true, months: true}
	byCompanyToo := filterTraits{count: 2, substring: true}
	short := matches{count: 3, ids: "{1,2,3}"}
	some := matches{count: 800, size: 1_000_000}
	many := matches{count: 50_000, size: 1_000_000}
	most := matches{count: 800_000, size: 1_000_000}
	clustered := matches{count: 50_000, size: 1_000_000, clustered: true}

	for _, c := range []struct {
		name string
		request
		want slowness
	}{
		{"a first page", request{filters: unfiltered, sort: newestFirst}, notSlow},
		{"a page far from both ends", request{filters: unfiltered, sort: newestFirst, position: numbered, offset: 500_000}, notSlow},
		{"a page after a cursor in another order", request{filters: unfiltered, sort: byPhone, position: after}, notSlow},
		{"a page by number in another order", request{filters: unfiltered, sort: byPhone, position: numbered, offset: fewRows}, notSlow},
		{"the same, far from the beginning", request{filters: unfiltered, sort: byPhone, position: numbered, offset: fewRows + 1}, skipsRows},
		{"the same, near the end", request{filters: unfiltered, sort: byPhone, position: numbered, offset: 90_000, total: 100_000}, notSlow},
		{"the same, far from the end", request{filters: unfiltered, sort: byPhone, position: numbered, offset: 89_999, total: 100_000}, skipsRows},
		{"behind the end", request{filters: unfiltered, sort: byPhone, position: numbered, offset: maxOffset, total: 100_000}, notSlow},
		{"a long text", request{filters: unfiltered, sort: byAddress}, sortsRows},
		{"a long text of a user's", request{filters: byUser, sort: byAddress}, sortsRows},
		{"a long text of few records", request{filters: selective, sort: byAddress}, notSlow},
		{"user_id in another order", request{filters: byUser, sort: byPhone}, notSlow},
		{"user_id, far from both ends", request{filters: byUser, sort: newestFirst, position: numbered, offset: 50_000}, skipsRows},
		{"a filter on each record", request{filters: byText, sort: newestFirst}, searchesRows},
		{"the same of few records", request{filters: byTextToo, sort: byAddress}, notSlow},
		{"both months and a user", request{filters: byBothMonths, sort: newestFirst}, countsRows},

		{"name, few matches", request{filters: byName, sort: byAddress, matches: short}, notSlow},
		{"name, some matches", request{filters: byName, sort: byAddress, matches: some}, notSlow},
		{"name, some matches of a short pattern, sorted", request{filters: byName, sort: byAddress, matches: some, shortPattern: true}, readsMatches},
		{"name, many matches", request{filters: byName, sort: newestFirst, matches: many}, notSlow},
		{"name, many matches of a short pattern", request{filters: byName, sort: newestFirst, matches: many, shortPattern: true}, notSlow},
		{"name, most records, far from both ends", request{filters: byName, sort: newestFirst, position: numbered, offset: 20_000, matches: most}, skipsRows},
		{"name, many matches in one place", request{filters: byName, sort: newestFirst, matches: clustered}, readsMatches},
		{"name, many matches by a long text", request{filters: byName, sort: byAddress, matches: many}, readsMatches},
		{"company, for the first time", request{filters: byCompany, sort: newestFirst}, readsMatches},
		{"company, some matches", request{filters: byCompany, sort: newestFirst, matches: some}, notSlow},
		{"company, many matches", request{filters: byCompany, sort: newestFirst, matches: many}, readsMatches},
		{"company with another filter", request{filters: byCompanyToo, sort: newestFirst, matches: some}, readsMatches},
	} {
		r := c.request
		r.readModels, r.hasTotals, r.size = true, true, 10
		if r.position == whole {
			r.position = first
		}
		if got := r.slowness(choose(r)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestSlownessWithoutReadModels(t *testing.T) {
	selective := filterTraits{count: 1, recorded: true, selective: true}
	for _, c := range []struct {
		filters filterTraits
		sort    sortTraits
		want    slowness
	}{
		{unfiltered, newestFirst, readsRecords},
		{byName, newestFirst, readsRecords},
		{unfiltered, byAddress, sortsRows},
		{selective, byAddress, notSlow},
	} {
		r := request{hasTotals: true, filters: c.filters, sort: c.sort, position: first, size: 10}
		if got := r.slowness(choose(r)); got != c.want {
			t.Errorf("%+v, %+v: %s, want %s", c.filters, c.sort, got, c.want)
		}
	}
}

func TestSlownessIsNoneOfShortLists(t *testing.T) {
	for _, sort := range []sortTraits{newestFirst, byPhone, byAddress} {
		for position := whole; position <= before; position++ {
			r := request{readModels: true, filters: byUnknown, sort: sort, position: position, offset: maxOffset, size: 10}
			if got := r.slowness(choose(r)); got != notSlow {
				t.Errorf("%+v, %s: %s", sort, position, got)
			}
		}
	}
}

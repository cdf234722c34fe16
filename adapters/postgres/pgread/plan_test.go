package pgread

import "testing"

// The lists of the requests below.
var (
	short      = traits{indexed: false}
	unfiltered = traits{isLong: true, hasTotal: true, byCreation: true, indexed: true}
	byUser     = with1(unfiltered, func(t *traits) { t.conditions = 1 })
	byMonths   = with1(byUser, func(t *traits) { t.runs = true })
	byValues   = with1(byUser, func(t *traits) { t.runs, t.values = true, 50 })
	byName     = traits{isLong: true, conditions: 1, search: true, byCreation: true, indexed: true}
	byBoth     = traits{isLong: true, conditions: 3, runs: true, byCreation: true, indexed: true} // months and a user
)

func with1(t traits, change func(*traits)) traits {
	change(&t)
	return t
}

func otherwise(t traits) traits { return with1(t, func(t *traits) { t.byCreation = false }) }

// byPhone is an order without an index.
func byPhone(t traits) traits {
	return with1(t, func(t *traits) { t.byCreation, t.indexed = false, false })
}

func at(t traits, p position, offset int64) traits {
	t.position, t.offset = p, offset
	return t
}

func TestPathAndSlownessOfEachList(t *testing.T) {
	for _, c := range []struct {
		list     string
		traits   traits
		path     path
		slowness slowness
	}{
		{"a short list", short, sortMatches, notSlow},
		{"one with a counted attribute", traits{counts: true}, sortMatches, countsValues},
		{"a first page", at(unfiltered, first, 0), inOrder, notSlow},
		{"a page after a cursor", at(otherwise(unfiltered), after, 0), inOrder, notSlow},
		{"a page by number", at(unfiltered, numbered, fewRows), inOrder, notSlow},
		{"a page far from the beginning", at(unfiltered, numbered, fewRows+1), inOrder, skipsRows},
		{"a page by number of several values", at(byValues, numbered, fewRows/50), byRun, notSlow},
		{"one far from the beginning of their runs", at(byValues, numbered, fewRows/50+1), byRun, skipsRows},
		{"an order without an index", at(byPhone(unfiltered), first, 0), inOrder, sortsRows},
		{"user_id", at(byUser, first, 0), inOrder, notSlow},
		{"user_id in another order", at(otherwise(byUser), first, 0), byCost, notSlow},
		{"the same after a cursor", at(otherwise(byUser), after, 0), byCost, notSlow},
		{"the same, a page by number", at(otherwise(byUser), numbered, 20), inOrder, notSlow},
		{
			"user_id in an order that an index has", at(with1(otherwise(byUser), func(t *traits) { t.inOrder = true }), first, 0),
			inOrder, notSlow,
		},
		{"user_id in an order without an index", at(byPhone(byUser), first, 0), inOrder, sortsRows},
		{
			"a filter that leaves few in any order", at(with1(byPhone(byUser), func(t *traits) { t.selective = true }), first, 0),
			inOrder, notSlow,
		},
		{"month", at(byMonths, first, 0), byRun, notSlow},
		{"month, a page by number", at(byMonths, numbered, 20), byRun, notSlow},
		{"month in another order", at(otherwise(byMonths), first, 0), byCost, notSlow},
		{"both months and a user", at(byBoth, first, 0), sortMatches, countsRows},
		{"name", at(byName, first, 0), sortMatches, readsMatches},
		{"a filter on each record", at(with1(byBoth, func(t *traits) { t.unindexed = true }), first, 0), sortMatches, searchesRows},
	} {
		if path, slowness := c.traits.path(), c.traits.slowness(); path != c.path || slowness != c.slowness {
			t.Errorf("%s: %s, %s; want %s, %s", c.list, path, slowness, c.path, c.slowness)
		}
	}
}

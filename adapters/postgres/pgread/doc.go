// Package pgread holds the readers of lists and records on PostgreSQL. It is the
// one place where SQL is put together, and the one that imports squirrel.
//
// A resource is a model (its table, the SQL of its attributes, where its total
// is known) and a list of conditions, one for each filter. A request becomes a
// shape: which conditions it makes, how the total is counted, where the page lies
// and which way leads to its rows. A shape has one statement, put together once:
//
//	reader.go     from a query to its shape, and from cells to rows
//	filter.go     conditions
//	total.go      the ways to a total
//	page.go       the ways to the rows of a page
//	milestone.go  the way from a milestone; runs.go: that through months
//	search.go     substrings: counting matches once, walking or sorting
//	cursor.go     places between two records
//
// Chose: one statement for a page, its expansions and its exact total. Because:
// two statements are two moments, and a total that does not belong to its page
// is a lie. Costs: what is the better way must be known before the total is, or
// be decided in the statement itself.
//
// Chose: a statement for each way, and plans that know no values. Because: the
// planner's guess for an unknown value decides nothing where the statement
// leaves no choice, and planning costs more than most statements. Costs: a way
// that is missing here is not found by the planner; test/plans looks at each.
//
// Chose: the first attempt asks the read models, in a statement that has no row
// when they cannot be read. Because: whether they can must be known in the same
// snapshot as what they say. Costs: while they are made anew, an attempt in
// vain about once a second.
//
// Chose: results in PostgreSQL's text format, handed on as they are. Because:
// the connection speaks ISO dates in the service's zone, so the text of a value
// is already what an answer shows. Costs: the server formats numbers and dates.
package pgread

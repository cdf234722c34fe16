// Package pgread implements the readers of lists and records on PostgreSQL. It is
// the only package that builds SQL for each request, and the only one that imports squirrel.
//
// A resource is a mapping (its table, the SQL of attributes that are no columns of their
// names, the declaration of its read models) and a list of filters. A call of List becomes rows in five moves:
//
//	reader.go     list: the query as conditions, their total and what the path depends on
//	plan.go       the access path, and whether the statement is slow: pure functions
//	build.go      the statement; filter.go: its conditions, months.go: merged runs of rows
//	slow.go       admit: a slow statement waits at the gate (gate.Gate) first
//	page.go       rows and cursors
//
// testdata has the statement of each path, formatted; the test that compares them
// rewrites them with -update.
//
// Chose: one statement for a page, its expansions and its exact total. Because: two
// statements have two snapshots, and a total that does not belong to its page is
// wrong. Costs: a search counts and sorts all its matches for each page.
//
// Chose: a statement for each access path, with generic plans. Because: an estimate
// for an unknown value cannot mislead the planner where the statement leaves it no
// choice, and planning costs more than most statements. Costs: an access path that
// is missing here is not found by the planner; a test checks the plan of each.
//
// Chose: statements are put together for each request, each piece of SQL with its
// arguments. Because: they can be read where they are made. Costs: some microseconds.
//
// Chose: results in PostgreSQL's text format, passed on unchanged. Because: the
// connection uses ISO dates and the service's zone, so that the text of a value is
// that of the response. Costs: the server formats numbers and dates.
package pgread

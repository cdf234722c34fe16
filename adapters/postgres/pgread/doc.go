// Package pgread implements the readers of lists and records on PostgreSQL. It is
// the only package that builds SQL, and the only one that imports squirrel.
//
// A resource is a mapping (its table, the SQL of its attributes, the declaration of
// its read models) and a list of filters. A call of List becomes rows in seven moves:
//
//	reader.go     listing: the query as a request, parameters and the key of a statement
//	plan.go       choose: request -> plan, a pure function
//	build.go      the statement of a plan, built once and cached by its key
//	total.go      ... its total; search.go, months.go, pageindex.go: its access paths
//	slow.go       slowness: whether the statement waits at the gate (admission) first
//	statement.go  run: the statement with the values of its parameters (params.go)
//	page.go       rows and cursors
//
// A search takes one more: matches.go caches what is known of the matches, on which
// the choice depends; identical searches count them once (flights.go). testdata has the
// statement of each plan, formatted; the test that compares them rewrites them with
// -update.
//
// Chose: one statement for a page, its expansions and its exact total. Because: two
// statements have two snapshots, and a total that does not belong to its page is
// wrong. Costs: the better access path must be known before the total is, or be
// decided in the statement.
//
// Chose: a statement for each access path, with generic plans. Because: an estimate
// for an unknown value cannot mislead the planner where the statement leaves it no
// choice, and planning costs more than most statements. Costs: an access path that
// is missing here is not found by the planner; a test checks the plan of each.
//
// Chose: parameters by name, bound to $1, $2, ... when a statement is prepared.
// Because: predicates are used in several places of a statement, and a name can be
// read and checked where a position must be counted. Costs: a filter declares its
// names.
//
// Chose: the first attempt reads the read models, in a statement that has no row if
// they are not ready. Because: whether they are must be known in the same snapshot.
// Costs: while they are rebuilt, one failed attempt a second.
//
// Chose: results in PostgreSQL's text format, passed on unchanged. Because: the
// connection uses ISO dates and the service's zone, so that the text of a value is
// that of the response. Costs: the server formats numbers and dates.
package pgread

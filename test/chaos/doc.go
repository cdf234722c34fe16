// Package chaos shows by figures that what was answered survives faults.
//
// A crash is that of a process: the service is killed, and PostgreSQL stopped at
// once, at random moments under a load of writes. What the operating system was
// given is still there afterwards, so this says nothing about a loss of power:
// that is PostgreSQL's fsync and the disk's to survive.
//
//	site.go     a PostgreSQL and the program on it, both of which can be killed
//	book.go     what writers were told
//	writer.go   the load
//	check.go    what was told against what is stored
//	network.go  the way to the database, disturbed
//	overload.go more requests than can be served
//	slow.go     callers who take their time
//	knots.go    what commands do to the same rows in different orders
//	tangle.go   many of these at once, and one deadlock for sure
//
// A restart of several instances behind a proxy is to fail no request.
//
//	instance.go one of several programs on a site's PostgreSQL
//	proxy.go    what stands before two of them: the test's own, or haproxy as the
//	            documentation has it
//	handover.go the load, and restarts in turn
//	older.go    another program on the same database, and totals against the records
package chaos

// Package chaos shows in figures that acknowledged writes survive failures.
//
// A crash is that of a process: the service is killed, or PostgreSQL stopped in
// immediate mode, at random moments under a load of writes. What the operating
// system received survives, so a loss of power is not tested: that is up to
// PostgreSQL's fsync and the disk.
//
//	site.go       PostgreSQL and the program on it, both of which can be killed
//	writelog.go   the writes and their responses
//	writer.go     the load
//	check.go      compares the responses with what is stored
//	network.go    the connection to the database, disturbed by toxiproxy
//	overload.go   more requests than the service can serve
//	slow.go       slow clients
//	contention.go commands on the same rows in different orders
//	deadlock.go   one forced deadlock
//
// A rolling restart of several instances behind a proxy must not fail a request.
//
//	instance.go one of several programs on a site's PostgreSQL
//	proxy.go    the proxy before two instances: the package's own, or haproxy with
//	            the documented configuration
//	rolling.go  the load, and restarts in turn
//	greed.go    one token that sends slow queries, beside others
//
// Tests with the build tag full kill, wait and soak, for `make chaos`; the others
// take seconds.
package chaos

// Package chaos shows in figures that acknowledged writes survive failures.
//
// A crash is that of a process: the service is killed, or PostgreSQL stopped in
// immediate mode, at random moments under a load of writes. What the operating
// system received survives, so a loss of power is not tested: that is up to
// PostgreSQL's fsync and the disk.
//
//	site.go       PostgreSQL and the program on it, both of which can be killed
//	instance.go   one of several programs on a site's PostgreSQL
//	writer.go     the load
//	writelog.go   the writes and their responses
//	check.go      compares the responses with what is stored
//	crash.go      kills at random moments
//	issuing.go    writers that issue invoices of one series
//	deadlock.go   one forced deadlock
//	rolling.go    restarts of two instances in turn behind haproxy, with the documented
//	              configuration, which must not fail a request
//
// The tests have the build tag full: they kill, wait and soak, for `make chaos`. That of linearizability, which shows
// that concurrent clients of the same records see one order of events, also runs with the race detector. Those of failover
// are here too; their servers are in test/failover.
package chaos

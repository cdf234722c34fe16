// Package replicas tests services that read from streaming replicas, against real servers: a
// primary and its replicas, which are delayed, stopped, killed and promoted while instances of
// the service write and read.
//
//	server.go   the servers
//	history.go  what callers wrote and saw, and which of it must not be
//	callers.go  callers that write and read through all instances, and record a history
//
// Chose a checker over histories, beside tests of single situations, because a read that is older
// than it may be shows only in what one caller has done and seen before, on whichever instance.
package replicas

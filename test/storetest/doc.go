// Package storetest is the conformance suite of the stores: one set of tests
// of ports/repository for the store in memory and the one on PostgreSQL, so that a
// use case that is tested on the first works on the second.
package storetest

// Package storetest is the conformance suite of the stores: one set of tests
// that holds the promises of ports/repository against the store in memory and
// the one on PostgreSQL, so that a use case which is tested on the first works
// on the second. Beside it stand the tests of the schema, which only the
// database can answer.
package storetest

// Package storetest tests ports/repository as adapters/postgres/pgstore implements it: what use
// cases expect of every store, and what they do not show by themselves.
package storetest

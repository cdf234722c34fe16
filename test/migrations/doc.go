// Package migrations tests the way of a database from version to version: what each
// migration makes of the schema and of the rows that are there, and who may serve
// meanwhile.
//
// A migration that was released does not change any more. testdata/NNNNN.schema is
// what it leaves behind, with the hash of its text; `go test ./test/migrations
// -update` writes one that is missing. testdata/rows fills the tables of every
// version: a file belongs to the versions from the number at the head of its name on, up
// to the number at its end, if there is one.
package migrations

// Package migrations tests how a database gets from one version of the schema to
// another: what each migration does to the schema and to existing rows, and that
// services keep working meanwhile.
//
// A released migration does not change. testdata/NNNNN.schema is the schema after
// migration NNNNN, with the hash of its SQL; `go test ./test/migrations -update` writes
// missing files. testdata/rows has rows for every table: a file belongs to the versions
// from the number at the start of its name on.
package migrations

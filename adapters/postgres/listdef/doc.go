// Package listdef declares the read models of each listed resource: its change
// table, its rollup, its search table and what is counted of it for each client.
// One file declares one resource; a new listed resource is a new file, a line in
// All, and the migration that makes its tables.
//
// It is data, with pure functions that yield SQL, and runs nothing. pgstore
// derives from it how changes are recorded, pgsummary how they are folded, rebuilt
// and verified, pgread how totals are read, doctor what is still to be folded. A
// test compares every table and column with the catalogue of a migrated database.
package listdef

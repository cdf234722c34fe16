// Package listdef declares the read models of each listed resource: its change
// table, its rollup, its search table and its count for each client. One file
// declares one resource; a new listed resource needs a new file, a line in All,
// and a migration that creates its tables.
//
// It contains data and pure functions that return SQL, and runs no statement.
// pgstore derives from it how changes are recorded, pgsummary how they are folded,
// rebuilt and verified, pgread how totals are read, and doctor what is still to be
// folded. A test compares every table and column with a migrated database.
package listdef

// Package postgres is what the stores and the readers share of PostgreSQL: the
// connection pool, the migrations, transactions, and the translation of constraint
// violations into faults.
//
// Stores are in pgstore, with constant SQL. The read models are maintained by
// pgsummary and read by pgread, which composes its SQL.
//
// Instances of several versions may run on one database while it is upgraded.
//
// Chose: every recorded change has the version of its writer, writer_version, and
// a check constraint of each table of changes has the lowest one that is accepted. A
// migration that begins to read a read model raises the bound to the first version
// that writes it (a read model is written by one release and read by the next).
// Because: adding a constraint locks the table, so it waits for the transactions that
// have written, and rejects later writes of older programs, whichever way they are
// connected. A rebuild after it therefore sees everything that older programs
// committed. No connection has to be identified, which poolers and distributed
// databases make impossible. Costs: four bytes per change, and writes of other tables
// are not rejected: settings.minimum_version, which each new connection and Ready
// compare, shuts those programs out when they connect again.
package postgres

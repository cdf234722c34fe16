// Package postgres contains what stores, readers and workers share: connection pools,
// migrations, transactions, and the translation of errors of the database into faults.
//
// Stores are in pgstore, with SQL that is made at the start. pgsummary maintains the read models;
// pgread reads them with SQL that it builds.
//
// Instances of several versions may run on one database while it is upgraded.
//
// Chose: every change row has the version of the program that wrote it,
// writer_version, and each change table has a check constraint with the lowest
// version that it accepts. A read model is written by one release and read by the
// next: the migration of the second one raises the constraint to the first version
// that writes the read model. Because: adding a constraint locks the table, so it
// waits for transactions that have written, and rejects later writes of older
// programs, however they are connected. A rebuild after it therefore sees everything
// that older programs have committed. No connection has to be identified, which is
// impossible behind poolers and in distributed databases. Costs: four bytes per
// change row, and writes to other tables are not rejected: older programs are
// rejected only when they reconnect, by settings.minimum_version, which each new
// connection and Ready check.
package postgres

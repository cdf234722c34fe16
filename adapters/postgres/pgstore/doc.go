// Package pgstore keeps aggregates in PostgreSQL: one file for each, with
// constant SQL, and the unit of work that joins them with the projections.
//
// Chose: writes whose result is not needed are queued and sent together, in their
// order, with the next statement that returns rows or at the end.
// Because: a change of an aggregate and everything derived from it is then one
// round trip, however many projections there are. Costs: a rejection of the
// database may appear at a later statement than the one that caused it, so
// every queued statement has the fault that its rejection means.
//
// A dry run sends the statements of a write and rolls them back, except that rows get
// random ids from a range that no sequence reaches.
//
// Chose: every insert has a parameter for the id, which is null unless it is a dry run; the statement
// then takes the next number of the sequence. Because: a sequence is not rolled back with the
// transaction; the statements are the same, with their constraints and row locks; and two dry
// runs insert different keys, so neither waits for the other. In the order of ids new records
// follow all others, as they would. Costs: a parameter in every insert, and dead rows that vacuum
// removes.
package pgstore

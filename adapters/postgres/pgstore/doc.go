// Package pgstore keeps aggregates in PostgreSQL: one file for each, with
// constant SQL, and the unit of work that joins them with the projections.
//
// Chose: writes whose result is not needed are queued and sent together, in their
// order, with the next statement that returns rows or at the end.
// Because: a change of an aggregate and everything derived from it is then one
// round trip, however many projections there are. Costs: a refusal of the
// database may appear at a later statement than the one that caused it, so
// every queued statement has the fault that its rejection means.
package pgstore

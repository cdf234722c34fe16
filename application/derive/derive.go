// Package derive computes what follows from the changes of a unit of work: pure
// functions from typed changes to the rows that a store keeps beside the records.
// Each store calls them within the writing transaction and only stores the
// result, so that no store decides what follows from what.
//
// Chose: functions that see the changes alone. Because: they are then tested
// without a store, and hold for all stores alike. Costs: a value that only the
// store knows, such as the present status of a deal that was not changed, is left
// open in the row for the store to fill in.
package derive

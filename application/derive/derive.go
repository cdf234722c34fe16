// Package derive contains the pure functions from the changes of a unit of work
// to derived rows, such as the deal history. Each store calls them in the writing
// transaction and only stores the result.
//
// Chose: functions of nothing but the changes. Because: they can be tested
// without a store, and are the same for all stores. Costs: a value that only the
// store has, such as the present status of a deal that was not changed, is left
// empty for the store to fill in.
package derive

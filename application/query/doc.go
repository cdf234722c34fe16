// Package query holds the lists that have a policy of their own. Every other
// read goes from the adapter straight to its read model.
//
// Chose: such a list is a readmodel.Reader itself, over the one of its rows.
// Because: an adapter serves it like any other. Costs: nothing.
//
// Chose: the rows are read first, and only if there are none, whether the
// record exists whose rows were asked for. Because: rows prove that it does, so
// a list stays one statement and one moment. Costs: a second statement for an
// empty list.
package query

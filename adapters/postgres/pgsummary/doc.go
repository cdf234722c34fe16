// Package pgsummary keeps what lists, totals and counts are read from: it folds
// what writers note into the figures, makes all of it anew from the records, and
// holds one against the other.
//
// Chose: writers only insert what a record was and what it is, in the newest
// batch, and a background job adds the batches up. Because: a figure that every
// writer updates is a row on which all writers wait for one another. Costs: a
// reader adds the rows of the open batches to each figure; folding keeps them
// few.
//
// Chose: a batch is folded when no running transaction holds its row, strictly
// in the order of the ids, and in the transaction that moves oldest_open_batch. Because:
// in every snapshot the figures and the open rows then make up the whole,
// without a word about transactions or snapshots. Costs: a transaction that
// stays open holds folding up, never writing or reading.
//
// Chose: the models are data, a table with its keys, its figures and the query
// that counts them from any images of records. Because: adding up, making anew
// and comparing are then the same for each of them, and cannot disagree.
package pgsummary

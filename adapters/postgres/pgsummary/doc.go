// Package pgsummary maintains the read models: it folds the changes that writers
// record into the rollups and the page index, rebuilds the read models from the
// records, and verifies them against the records.
//
// Chose: writers only insert changes, in the newest batch, and a background worker
// folds the batches into the sums. Because: a sum that every writer updates is a row
// on which all writers wait for one another. Costs: a reader adds the changes of the
// open batches to each sum; folding keeps them few.
//
// Chose: a batch is folded when no running transaction holds a lock on its row,
// strictly in the order of the ids, and in the transaction that moves
// oldest_open_batch. Because: in every snapshot the sums and the open changes then
// add up to the records, without any reference to transactions or snapshots. Costs: a
// long transaction delays folding; it never delays writing or reading.
//
// Chose: a read model is a declaration in listdef and one select that computes it
// from rows with a delta. Because: the same select over one batch folds, over the
// records rebuilds and over both verifies, so that these cannot disagree. Costs: SQL
// is put together in Go; testdata has it in full.
package pgsummary

// Package pgsummary maintains the read models: it folds the changes that writers
// record into the rollups, rebuilds the read models from the records, and verifies
// them against the records.
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
// Chose: a rebuild is one transaction, which locks the batches. Because: all changes
// are then committed, and visible to it. Costs: writers wait until it ends; lists show
// what was there.
//
// Chose: workers pace themselves by the time at which the newest batch was opened.
// Because: the rate of folds then does not depend on the number of processes. Costs:
// nothing that is seen.
//
// Chose: a rollup is a declaration in listdef and one select that computes it
// from rows with a delta. Because: the same select over one batch folds, over the
// records rebuilds and over both verifies, so that these cannot disagree. Costs: SQL
// is put together in Go; testdata has it in full.
package pgsummary

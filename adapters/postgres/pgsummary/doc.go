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
// Chose: the fold that reaches a position, which is the first batch that the sums do not
// include, stores a random token for it, and a cached match count is used only by a
// statement that finds the token of its position. Because: the fold comes after every
// change that it includes, and replication, backups and dumps keep this order; so a
// database with the token has these changes, and one without it may lack some. It may be
// a standby that lagged when it was promoted, a replica behind its primary, a restored
// backup, or one of two that went on from the same state. Timelines of the server do not
// tell: two restores may have the same one, and a promoted standby records its new one
// only later. Costs: a row for each position that is retained, and two lookups in them
// for a search.
//
// Chose: a rebuild stages the rollups and the page index in temporary tables, as of the
// position of its snapshot, adds what has been folded since, and then replaces them; it
// locks folding out only for the second part. Because: what is not folded is added up by
// every list, and a rebuild of a large database takes minutes. Costs: the changes since
// its snapshot are retained until it ends, on disk, and a rebuild beside a program of an
// earlier version, which does not retain them, may have to be repeated.
//
// Chose: workers pace themselves by the time at which the newest batch was opened.
// Because: the rate of folds, and with it how long changes are retained, then does not
// depend on the number of processes. Costs: a clock that is set forward deletes retained
// changes early, and matches are counted again; totals do not depend on it.
//
// Chose: a read model is a declaration in listdef and one select that computes it
// from rows with a delta. Because: the same select over one batch folds, over the
// records rebuilds and over both verifies, so that these cannot disagree. Costs: SQL
// is put together in Go; testdata has it in full.
package pgsummary

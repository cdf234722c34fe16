// Package traceability holds docs/contract.md and the tests against each other:
// every clause that is kept has a test that cites it, every citation names a
// clause that there is, and docs/clauses.md shows which test shows what.
//
// A citation is the word "contract" and the numbers of clauses, in a comment
// above a test or inside it, or in the name of a subtest: `// contract 4.12,
// 3.15`. It names each clause by itself; of a range nobody could tell which of
// its clauses were thought of.
//
// Chose to read the comments, because a citation beside the assertions is seen
// and changed with them. Costs: that the test shows what it cites is for its
// author and its reader to judge.
package traceability

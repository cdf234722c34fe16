// Package traceability compares docs/contract.md with the tests: every clause in
// force has a test that cites it, every citation names an existing clause, and
// docs/clauses.md lists the tests of each clause.
//
// A citation is the word "contract" and the numbers of clauses, in a comment
// above a test or inside it, or in the name of a subtest: `// contract 4.12,
// 3.15`. It names each clause: a range does not show which of its clauses are
// tested.
//
// Chose to read comments, because a citation beside the assertions is seen and
// changed with them. Costs: only the author and the reviewer can judge whether a
// test shows what it cites.
package traceability

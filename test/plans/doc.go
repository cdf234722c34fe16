// Package plans says how long the lists of the contract take to read, and holds
// the database's plans against it.
//
// Classes is the table: for each way to narrow, sort and page through a list its
// class, with requests that stand for it. docs/performance.md shows it. The test
// carries out the statements of every request of the classes A and B on a
// hundred thousand rows, with the plans that a service uses, and fails where the
// database reads a long table from end to end, or looks at or sorts more rows
// than the class allows.
//
// Chose: plans that are carried out, with the rows that each step really saw.
// Because: an estimate says what the planner believes, and a plan that is right
// for a wrong reason would pass. Costs: the tables must be filled.
package plans

// Package architecture keeps the house in order: who may import whom, where
// the clock is read, what a file and a package may be like, and which SQL is
// plain enough. Its tests read the source tree with go/parser, every file of
// it whatever its build tags, and need no database.
//
// Each check is a function from what was read to a list of complaints, so that
// the tests can show on made-up trees that it bites.
package architecture

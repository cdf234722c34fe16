// Package architecture checks the architecture: which layers import which, where
// the clock is read, the names and lengths of files and packages, the words in
// all texts, and the SQL. Its tests parse every Go file, whatever its build tags,
// and need no database.
//
// Each check is a function that returns a list of complaints, so that tests can
// show on example trees that it finds violations.
package architecture

// Package operations shows that docs/operations.md is true: it types the page's
// commands into a shell, with the program as it is built and a real PostgreSQL, and
// compares the data before and after.
package operations

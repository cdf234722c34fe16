// Package operations shows that docs/operations.md and docs/scaling.md are true: it
// runs the commands of the pages in a shell, with the built program and a real
// PostgreSQL, and compares the data before and after.
package operations

// Package operations shows that docs/operations.md is true: it runs the page's
// commands in a shell, with the built program and a real PostgreSQL, and compares the
// data before and after. Under the build tag full it does so for docs/scaling.md.
package operations

// Package docs tests the README and the pages in docs/: it sends every request and
// runs every command in them on a service with the demo data, and compares the output
// with the page. It also checks their links. The tests of docs/operations.md and docs/performance.md, which have the build tag
// full, have servers of their own, and compare the data before and after.
//
// Chose a service and a database for each page, because then each page shows IDs that
// do not depend on other pages. Costs a second or two per page.
//
// Chose the built program over a handler in the test, because pages use its commands.
package docs

// Package docs shows that the README and the guide in docs/ are true: it sends
// every request and types every command in them to a service with the demo data, as a
// reader would, and compares the answers with those shown. It also follows their links.
//
// Chose a service and a database for each page, because pages can then be read alone
// and show ids. It costs a second or two for a page.
//
// Chose the built program over a handler in the test, because pages use its commands.
package docs

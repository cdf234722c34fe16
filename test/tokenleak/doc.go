// Package tokenleak shows that tokens stay where they belong: it sends good, expired,
// revoked and made-up ones in every place to a service that tells all it can, on a
// PostgreSQL that logs all it can, and then looks for them in all that was told.
//
//	watched_test.go  the service, and what listens to it
//	tokens_test.go   the tokens, and what of them must not be found
//	sent_test.go     the requests
package tokenleak

// Package tokenleak shows that tokens do not leak: it sends valid, expired, revoked and
// forged ones in every place to a service with all logging and tracing enabled, on a
// PostgreSQL that logs every statement, and then searches all output for them.
//
//	observed_test.go  the service, and the recorders of its output
//	tokens_test.go   the tokens, and their parts that must not be found
//	sent_test.go     the requests
package tokenleak

// Package baseline is the server that Kontor's throughput is compared with: net/http, pgx and JSON written by
// hand, without a framework, use cases, validation or a log. It is an estimate of the least that a Go server
// has to do for the same responses from the same database.
//
// It answers eight of the kinds of requests that package load sends. For one of them, client-create-bare, it does less
// than the service must: one insert in a transaction, without the rows that lists and searches need and without
// reading the record. It measures what those cost.
//
// # Decisions
//
// Chose to read the statements from the golden files of package pgread, because other SQL than the service's would
// compare two databases instead of two servers. A test of package load compares the responses of both byte by byte.
// What a creation runs has no golden files and is in testdata.
//
// Chose to leave out ETag and the cursors in Link. It costs the baseline less than a microsecond for each request.
package baseline

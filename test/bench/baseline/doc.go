// Package baseline is the server that Kontor's throughput is compared with: net/http, pgx and JSON written by
// hand, without a framework, use cases, validation or a log. It is an estimate of the least that a Go server
// has to do for the same responses from the same database.
//
// It answers eight of the requests that package load sends, with the SQL of testdata.
//
// # Decisions
//
// Chose to run the statements that the service runs, because other SQL would compare two databases instead of
// two servers. A test of package load compares the responses of both byte by byte.
//
// Chose to leave out ETag and the cursors in Link. It costs the baseline less than a microsecond for each request.
package baseline

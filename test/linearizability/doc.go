// Package linearizability shows that concurrent clients of the same records see one
// order of events.
//
// Concurrent clients read an invoice, pay it, undo the payment and add lines, some
// of them with the condition that it has the version that they have read. Requests
// and responses are recorded with their times, and a checker looks for a sequential
// order of them in which an invoice would have given the same responses.
package linearizability

// Package observe is the contract between what a request goes through and what
// counts, times and traces it: one Request is carried from the first handler to
// the last statement, is filled in on the way, and says at the end what the
// request was and what it took.
//
// Chose one record in the context over counters in every layer, because a layer
// then adds a number and knows nothing of logs, metrics or traces; costs that
// what a request does, it does in one goroutine at a time.
package observe

import (
	"context"
	"time"
)

// Request is what is known of a request. It is for one goroutine at a time.
type Request struct {
	Method string // of those that the service has, or OtherMethod
	Route  string // such as /rest/client/{id}; Unmatched
	Scheme string // http or https; "" if nobody watches
	Path   string // as it was asked for, without tokens; "" if nobody watches
	IsPoll bool   // by what looks after the service, not by a caller

	ID      string // names the request in its answer and in the log
	TraceID string // of the trace that it belongs to; "" if there is none
	UserID  int64  // who asks; 0 as long as that is not known

	Status   int
	Bytes    int
	Rows     int           // records in the answer
	Replayed bool          // the answer is that of an earlier creation
	Took     time.Duration // from the first handler to the answer
	Cause    error         // of an answer that is a fault of the service

	Queries  int           // statements sent to the database, each one of a batch
	Database time.Duration // how long at least one of them was under way

	underWay int
	since    time.Time
}

// What has no route, and no method that a path could have, is counted as one of
// each: callers must not be able to fill memory with names.
const (
	Unmatched   = "unmatched"
	OtherMethod = "OTHER"
)

// Sent notes that so many statements were sent.
func (r *Request) Sent(n int, now time.Time) {
	r.Queries += n
	if r.underWay == 0 {
		r.since = now
	}
	r.underWay++
}

// Answered notes that the statements of one call of Sent were answered.
func (r *Request) Answered(now time.Time) {
	r.underWay--
	if r.underWay == 0 {
		r.Database += now.Sub(r.since)
	}
}

// Key is under what a context holds its *Request.
type Key struct{}

// From is the request that the context belongs to; nil if it is none's.
func From(ctx context.Context) *Request {
	r, _ := ctx.Value(Key{}).(*Request)
	return r
}

// Unwatched is for work that a request has begun and others profit from.
func Unwatched(ctx context.Context) context.Context {
	return context.WithValue(ctx, Key{}, (*Request)(nil))
}

// Requests is told of every request.
type Requests interface {
	// Begin is called before anything is done. headers are those of HTTP, in
	// their canonical form. The context that it gives is that of the request from
	// now on.
	Begin(ctx context.Context, headers map[string][]string, r *Request) context.Context
	// End is called once with that context, when the request is answered or cut
	// off, with all that there is to tell.
	End(ctx context.Context, r *Request)
}

// Statement is what is sent to the database in one go.
type Statement struct {
	Text     string // without values; of a batch the statements one after the other
	Batch    int    // how many there are; 0 if it is no batch
	Database string // its name
}

// Outcome is what became of a statement.
type Outcome struct {
	Rows    int64  // returned or changed
	Failure string // the SQLSTATE, or a word if the database has not given one; "" if it went well
}

// Statements is told of every statement that is sent for a request.
type Statements interface {
	// Begin is called before the statement is sent. The context that it gives
	// is handed to End.
	Begin(ctx context.Context, s Statement) context.Context
	End(ctx context.Context, o Outcome)
}

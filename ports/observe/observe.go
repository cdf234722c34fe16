// Package observe connects the layers that process a request with logs, metrics and
// traces: a Request travels in the context from the HTTP handler to the database
// connection, and each layer fills in its part.
//
// Chose: one record in the context over counters in every layer. Because: a layer then only adds
// numbers and is independent of logs, metrics and traces. Costs: a request must work in one
// goroutine at a time.
package observe

import (
	"context"
	"time"
)

// Request has the measurements of one request. It is not safe for concurrent use.
type Request struct {
	Method string // one of the methods of the service, or OtherMethod
	Route  string // such as /rest/client/{id}, or Unmatched
	Path   string // as requested, without tokens; "" without an observer
	IsPoll bool   // a health or readiness probe

	ID      string // in the response and in the log
	TraceID string // "" if there is none
	Company string // the code of the company; "" for the default one
	UserID  int64  // 0 until the request is authenticated

	Status    int
	Bytes     int
	Rows      int           // records in the response
	Replayed  bool          // the response is the stored one of an idempotency key
	DryRun    bool          // a write that is not to be stored
	Ignored   []string      // unknown names that a lenient service has ignored
	Rules     []string      // names of the rules that refused the write, or would have
	Reactions []string      // names of the reactions to the write
	Took      time.Duration // from the first handler to the end of the response
	Code      string        // of the problem in the response; "" if there is none
	Kind      string        // of the fault behind it, if it is one
	Fields    []string      // that are wrong, each with its code, such as items[0].price:wrong_type
	Cause     error         // of an internal error

	Queries  int           // statements sent to the database, those in batches included
	Database time.Duration // while at least one statement was in progress

	inProgress int
	since      time.Time
}

// Requests without a route, or with an unknown method, are counted under one name each, so
// that clients cannot fill the memory with names.
const (
	Unmatched   = "unmatched"
	OtherMethod = "OTHER"
)

// RecordSent records that n statements were sent in one batch.
func (r *Request) RecordSent(n int, now time.Time) {
	r.Queries += n
	if r.inProgress == 0 {
		r.since = now
	}
	r.inProgress++
}

// RecordDone records that the batch of a RecordSent is done.
func (r *Request) RecordDone(now time.Time) {
	r.inProgress--
	if r.inProgress == 0 {
		r.Database += now.Sub(r.since)
	}
}

// Key is the context key of a *Request.
type Key struct{}

// From returns the request in the context; nil if there is none.
func From(ctx context.Context) *Request {
	r, _ := ctx.Value(Key{}).(*Request)
	return r
}

// WithoutRequest returns a context without the request, for work that a request starts for
// others too.
func WithoutRequest(ctx context.Context) context.Context {
	return context.WithValue(ctx, Key{}, (*Request)(nil))
}

// Requests observes requests.
type Requests interface {
	// Begin is called before the request is processed.
	Begin(ctx context.Context, r *Request)
	// End is called once, after the response was sent or the request was aborted. r is then
	// complete.
	End(ctx context.Context, r *Request)
}

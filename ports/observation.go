package ports

import (
	"context"
	"time"
)

// Observation has the measurements of one request, for logs, metrics and traces. It travels in the
// context from the HTTP handler to the database connection, and each layer fills in its part. It is
// not safe for concurrent use.
//
// Chose: one record in the context over counters in every layer. Because: a layer then only adds
// numbers and is independent of logs, metrics and traces. Costs: a request must work in one
// goroutine at a time.
type Observation struct {
	Method string // one of the methods of the service, or OtherMethod
	Route  string // such as /rest/client/{id}, or UnmatchedRoute
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
	UnmatchedRoute = "unmatched"
	OtherMethod    = "OTHER"
)

// RecordSent records that n statements were sent in one batch.
func (o *Observation) RecordSent(n int, now time.Time) {
	o.Queries += n
	if o.inProgress == 0 {
		o.since = now
	}
	o.inProgress++
}

// RecordDone records that the batch of a RecordSent is done.
func (o *Observation) RecordDone(now time.Time) {
	o.inProgress--
	if o.inProgress == 0 {
		o.Database += now.Sub(o.since)
	}
}

// ObservationKey is the context key of an *Observation.
type ObservationKey struct{}

// ObservationFrom returns the observation in the context; nil if there is none.
func ObservationFrom(ctx context.Context) *Observation {
	o, _ := ctx.Value(ObservationKey{}).(*Observation)
	return o
}

// WithoutObservation returns a context without the observation, for work that a request starts for
// others too.
func WithoutObservation(ctx context.Context) context.Context {
	return context.WithValue(ctx, ObservationKey{}, (*Observation)(nil))
}

// Observer observes requests.
type Observer interface {
	// Begin is called before the request is processed.
	Begin(ctx context.Context, o *Observation)
	// End is called once, after the response was sent or the request was aborted. o is then
	// complete.
	End(ctx context.Context, o *Observation)
}

package httpapi

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/ports/observe"
)

const requestIDHeader = "X-Request-Id"

// maxRequestID is how long the name may be that a caller gives to a request.
const maxRequestID = 64

// requestID names the request in its answer and in the log.
func requestID(g *gin.Context) string { return g.Writer.Header().Get(requestIDHeader) }

// cacheControl says that an answer is for its caller, and asked for again.
var cacheControl = []string{"private, no-cache"}

// noSniff has a browser take an answer for what it says it is, and for nothing else.
var noSniff = []string{"nosniff"}

// watched is the answer of a request on its way out, and what is known of the
// request. It is the one thing that is made for a request to be observed.
type watched struct {
	gin.ResponseWriter
	seen  observe.Request
	start time.Time
	timed bool // the answer shall say what it took
	gone  bool // the caller has not waited for the answer

	shutdown *traffic.Shutdown
}

// watchedBy is what observe has put in the place of gin's own writer.
func watchedBy(g *gin.Context) *watched { return g.Writer.(*watched) }

// observe gives every request an id and one event in the log, tells of it whoever
// watches, and turns a panic into a fault of the service.
func (api *API) observe(g *gin.Context) {
	w := &watched{ResponseWriter: g.Writer, start: time.Now(), shutdown: api.config.Shutdown}
	g.Writer = w
	api.begin(g, w)
	defer func() {
		cause := recover()
		err, ok := cause.(error)
		isAbort := ok && errors.Is(err, http.ErrAbortHandler)
		if cause != nil && !isAbort {
			api.refuse(g, jsonFormat, panicked{cause: cause, stack: debug.Stack()})
		}
		api.end(g, w)
		if isAbort {
			panic(cause)
		}
	}()
	g.Next()
}

// begin notes who asks for what, as far as that can be seen from outside.
func (api *API) begin(g *gin.Context, w *watched) {
	r := g.Request
	w.seen.Method, w.seen.Route = r.Method, api.templateOf(g.FullPath())
	w.seen.IsPoll = isPoll(w.seen.Route)
	w.seen.ID, w.seen.TraceID = nameOf(r), traceOf(r.Header)
	w.timed = r.Header.Get(serverTiming) != ""
	h := w.Header()
	h[requestIDHeader] = []string{w.seen.ID}
	h["Cache-Control"] = cacheControl
	h["X-Content-Type-Options"] = noSniff
	if api.config.Watch == nil {
		return
	}
	w.seen.Path, w.seen.Scheme = mask(r.URL.Path), schemeOf(r)
	was := r.Context()
	if ctx := api.config.Watch.Begin(was, r.Header, &w.seen); ctx != was {
		g.Request = r.WithContext(ctx)
	}
}

// end tells of a request that is answered.
func (api *API) end(g *gin.Context, w *watched) {
	w.stamp() // what has no body has not been written yet
	now := time.Now()
	w.seen.Took = now.Sub(w.start)
	w.seen.Status, w.seen.Bytes = w.Status(), max(w.Size(), 0)
	if w.gone {
		w.seen.Status = statusGone
	}
	api.tell(g, w, now)
	if api.config.Watch != nil {
		api.config.Watch.End(g.Request.Context(), &w.seen)
	}
}

// statusGone is what logs and metrics have in the place of the status of an
// answer that nobody waited for. No answer has it.
const statusGone = 499

// panicked is a panic as an error.
type panicked struct {
	cause any
	stack []byte
}

func (p panicked) Error() string { return fmt.Sprintf("panic: %v", p.cause) }

// nameOf is the id that the caller has given to the request, or a new one if
// there is none, or one that could harm a log.
func nameOf(r *http.Request) string {
	given := r.Header[requestIDHeader]
	if len(given) != 1 || !isRequestID(given[0]) {
		return newRequestID()
	}
	if scrub(given[0], r) != given[0] {
		return newRequestID()
	}
	return given[0]
}

func isRequestID(s string) bool {
	if s == "" || len(s) > maxRequestID {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func newRequestID() string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], rand.Uint64()) //nolint:gosec // no secret: ids only have to differ
	return hex.EncodeToString(b[:])
}

// traceOf is the id of the trace that the caller says the request belongs to, as
// the W3C's Trace Context has it; "" if there is none.
func traceOf(h http.Header) string {
	const version, id = len("00-"), len("00-") + 32
	given := h["Traceparent"]
	if len(given) != 1 || len(given[0]) < len("00-")+32+len("-0123456789abcdef-01") || given[0][id] != '-' {
		return ""
	}
	trace := given[0][version:id]
	if strings.Trim(trace, "0123456789abcdef") != "" || strings.Trim(trace, "0") == "" {
		return ""
	}
	return trace
}

// templateOf is the path of a route with {id} for :id.
func (api *API) templateOf(path string) string {
	if path == "" {
		return observe.Unmatched
	}
	return api.templates[path]
}

// isPoll tells of the routes by which others look after the service.
func isPoll(route string) bool { return route == "/healthz" || route == "/readyz" }

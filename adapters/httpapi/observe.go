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
	"github.com/kontor-crm/kontor/ports"
)

const requestIDHeader = "X-Request-Id"

// maxRequestID is the maximum length of a client's request ID.
const maxRequestID = 64

func requestID(g *gin.Context) string { return g.Writer.Header().Get(requestIDHeader) }

// cacheControl lets only the client cache a response, and revalidate it before each use.
var cacheControl = []string{"private, no-cache"}

// noSniff forbids browsers to guess the content type.
var noSniff = []string{"nosniff"}

// observedWriter records what is logged and measured of a request. It is one allocation
// per request.
type observedWriter struct {
	gin.ResponseWriter
	request  ports.Observation
	start    time.Time
	timed    bool // Server-Timing is requested
	canceled bool // the client closed the connection before the response

	shutdown *traffic.Shutdown
}

func writerOf(g *gin.Context) *observedWriter { return g.Writer.(*observedWriter) }

// observe gives every request an ID and one log event, reports it to the observer, and
// turns a panic into a 500.
func (api *API) observe(g *gin.Context) {
	w := &observedWriter{ResponseWriter: g.Writer, start: time.Now(), shutdown: api.config.Shutdown}
	g.Writer = w
	api.begin(g, w)
	defer func() {
		cause := recover()
		err, ok := cause.(error)
		isAbort := ok && errors.Is(err, http.ErrAbortHandler)
		if cause != nil && !isAbort {
			api.sendProblem(g, jsonFormat, panicked{cause: cause, stack: debug.Stack()})
		}
		api.end(g, w)
		if isAbort {
			panic(cause)
		}
	}()
	g.Next()
}

// begin records what is known before the request is processed.
func (api *API) begin(g *gin.Context, w *observedWriter) {
	r := g.Request
	w.request.Method, w.request.Route = r.Method, api.templateOf(g.FullPath())
	w.request.IsPoll = isPoll(w.request.Route)
	w.request.ID, w.request.TraceID = requestIDOf(r), traceOf(r.Header)
	w.timed = r.Header.Get(serverTiming) != ""
	h := w.Header()
	h[requestIDHeader] = []string{w.request.ID}
	h["Cache-Control"] = cacheControl
	h["X-Content-Type-Options"] = noSniff
	if api.config.Observer == nil {
		return
	}
	w.request.Path = mask(r.URL.Path)
	api.config.Observer.Begin(r.Context(), &w.request)
}

// end logs the request and reports it to the observer.
func (api *API) end(g *gin.Context, w *observedWriter) {
	w.stamp() // a response without a body has not been written yet
	now := time.Now()
	w.request.Took = now.Sub(w.start)
	w.request.Status, w.request.Bytes = w.Status(), max(w.Size(), 0)
	if w.canceled {
		w.request.Status = statusGone
	}
	api.logRequest(g, w, now)
	if api.config.Observer != nil {
		api.config.Observer.End(g.Request.Context(), &w.request)
	}
}

// statusGone is recorded instead of the status if the client closed the connection
// before the response. No response has it.
const statusGone = 499

type panicked struct {
	cause any
	stack []byte
}

func (p panicked) Error() string { return fmt.Sprintf("panic: %v", p.cause) }

// requestIDOf returns the ID in the request, or a new one if there is none or it is
// invalid or contains a token.
func requestIDOf(r *http.Request) string {
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
	binary.BigEndian.PutUint64(b[:], rand.Uint64()) //nolint:gosec // not a secret
	return hex.EncodeToString(b[:])
}

// traceOf returns the trace ID in the traceparent header (W3C Trace Context); "" if
// there is none or it is invalid.
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

func (api *API) templateOf(path string) string {
	if path == "" {
		return ports.UnmatchedRoute
	}
	return api.templates[path]
}

func isPoll(route string) bool { return route == "/healthz" || route == "/readyz" }

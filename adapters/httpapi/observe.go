package httpapi

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

const requestIDHeader = "X-Request-Id"

// requestID names the request in its answer and in the log.
func requestID(g *gin.Context) string { return g.Writer.Header().Get(requestIDHeader) }

// cacheControl says that an answer is for its caller, and asked for again.
var cacheControl = []string{"private, no-cache"}

// observe gives every request an id and one event in the log, and turns a
// panic into a fault of the service.
func (api *API) observe(g *gin.Context) {
	start := time.Now()
	id := newRequestID()
	h := g.Writer.Header()
	h.Set(requestIDHeader, id)
	h["Cache-Control"] = cacheControl
	defer func() {
		if cause := recover(); cause != nil {
			if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(cause)
			}
			api.refuse(g, jsonFormat, fmt.Errorf("panic: %v", cause))
		}
		api.tell(g, id, start)
	}()
	g.Next()
}

// tell writes the event of a request. It goes straight to the handler: the place
// in the code, which a Logger would find out each time, is always this one.
func (api *API) tell(g *gin.Context, id string, start time.Time) {
	ctx, to := g.Request.Context(), api.log.Handler()
	if !to.Enabled(ctx, slog.LevelInfo) {
		return
	}
	now := time.Now()
	event := slog.NewRecord(now, slog.LevelInfo, "request", 0)
	event.AddAttrs(
		slog.String("request_id", id),
		slog.String("method", g.Request.Method),
		slog.String("route", g.FullPath()),
		slog.String("uri", redact(g.Request.URL)),
		slog.Int("status", g.Writer.Status()),
		slog.Int("bytes", max(g.Writer.Size(), 0)),
		slog.Duration("duration", now.Sub(start)))
	_ = to.Handle(ctx, event) // a log that cannot be written is no reason to fail a request
}

func newRequestID() string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], rand.Uint64()) //nolint:gosec // no secret: ids only have to differ
	return hex.EncodeToString(b[:])
}

// redact is the address without the tokens in it. A semicolon parts no pairs
// for this service, but a token behind one is a token.
func redact(u *url.URL) string {
	if u.RawQuery == "" {
		return u.Path
	}
	var b strings.Builder
	b.WriteString(u.Path)
	separator := "?"
	for rest := u.RawQuery; rest != ""; {
		pair := rest
		if end := strings.IndexAny(rest, "&;"); end >= 0 {
			pair = rest[:end]
		}
		b.WriteString(separator)
		if isTokenParameter(pair) {
			name, _, _ := strings.Cut(pair, "=")
			b.WriteString(name + "=REDACTED")
		} else {
			b.WriteString(pair)
		}
		rest = rest[len(pair):]
		if rest != "" {
			separator, rest = rest[:1], rest[1:]
		}
	}
	return b.String()
}

func isTokenParameter(pair string) bool { return slices.Contains(tokenParameters, pairName(pair)) }

// pairName is the name of a query pair, decoded; the raw one if that fails.
func pairName(pair string) string {
	raw, _, _ := strings.Cut(pair, "=")
	name, err := url.QueryUnescape(raw)
	if err != nil {
		return raw
	}
	return name
}

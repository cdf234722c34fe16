package httpapi

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

const requestIDKey = "request_id"

// requestID names the request in its answer and in the log.
func requestID(g *gin.Context) string { return g.GetString(requestIDKey) }

// observe gives every request an id and one event in the log, and turns a
// panic into a fault of the service.
func (api *API) observe(g *gin.Context) {
	start := time.Now()
	id := newRequestID()
	g.Set(requestIDKey, id)
	g.Header("X-Request-Id", id)
	g.Header("Cache-Control", "private, no-cache") // an answer is for its caller, and asked for again
	defer func() {
		if cause := recover(); cause != nil {
			if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(cause)
			}
			api.refuse(g, jsonFormat, fmt.Errorf("panic: %v", cause))
		}
		api.log.Info("request",
			"request_id", id,
			"method", g.Request.Method,
			"route", g.FullPath(),
			"uri", redact(g.Request.URL),
			"status", g.Writer.Status(),
			"bytes", max(g.Writer.Size(), 0),
			"duration", time.Since(start))
	}()
	g.Next()
}

func newRequestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, says its documentation
	return hex.EncodeToString(b[:])
}

// redact is the address without the tokens in it. A semicolon parts no pairs
// for this service, but a token behind one is a token.
func redact(u *url.URL) string {
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

// queryPairs are the name=value pairs of a query as they were sent.
func queryPairs(raw string) []string {
	if raw == "" {
		return nil
	}
	return strings.Split(raw, "&")
}

func isTokenParameter(pair string) bool {
	name := pairName(pair)
	return name == tokenParameters[0] || name == tokenParameters[1]
}

// pairName is the name of a query pair, decoded; the raw one if that fails.
func pairName(pair string) string {
	raw, _, _ := strings.Cut(pair, "=")
	name, err := url.QueryUnescape(raw)
	if err != nil {
		return raw
	}
	return name
}

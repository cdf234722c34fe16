package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
)

// tell writes the event of a request. It goes straight to the handler: the place
// in the code, which a Logger would find out each time, is always this one.
func (api *API) tell(g *gin.Context, w *watched, now time.Time) {
	ctx, to := g.Request.Context(), api.log.Handler()
	level := levelOf(w)
	if !to.Enabled(ctx, level) {
		return
	}
	event := slog.NewRecord(now, level, "request", 0)
	var room [20]slog.Attr
	attrs := append(room[:0], slog.String("request_id", w.seen.ID))
	if w.seen.TraceID != "" {
		attrs = append(attrs, slog.String("trace_id", w.seen.TraceID))
	}
	attrs = append(attrs,
		slog.String("method", w.seen.Method),
		slog.String("route", w.seen.Route),
		slog.String("uri", redact(g.Request.URL)),
		slog.Int("status", w.seen.Status),
		slog.Float64("duration_ms", milliseconds(w.seen.Took)),
		slog.Int("rows", w.seen.Rows),
		slog.Int("queries", w.seen.Queries),
		slog.Float64("db_ms", milliseconds(w.seen.Database)),
		slog.Int("bytes", w.seen.Bytes))
	if w.seen.UserID != 0 {
		attrs = append(attrs, slog.Int64("user_id", w.seen.UserID))
	}
	event.AddAttrs(append(attrs, causes(g.Request, w.seen.Cause)...)...)
	_ = to.Handle(ctx, event) // a log that cannot be written is no reason to fail a request
}

// levelOf is how much a request matters to who reads the log. What asks every
// few seconds whether the service lives would hide all others.
func levelOf(w *watched) slog.Level {
	switch {
	case w.seen.Cause != nil || w.seen.Status >= http.StatusInternalServerError && !w.seen.IsPoll:
		return slog.LevelError
	case w.seen.IsPoll:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// causes say what is wrong, without the tokens of the request.
func causes(r *http.Request, cause error) []slog.Attr {
	if cause == nil {
		return nil
	}
	attrs := []slog.Attr{slog.String("error", scrub(cause.Error(), r))}
	if p, ok := errors.AsType[panicked](cause); ok {
		attrs = append(attrs, slog.String("stack", scrub(string(p.stack), r)))
	}
	return attrs
}

// failed keeps the cause of an answer for the log. That the caller has gone is no
// fault of anybody's.
func (w *watched) failed(ctx context.Context, cause error) {
	if traffic.IsCanceled(ctx, cause) && !traffic.IsShutdown(ctx) {
		w.gone = true
		return
	}
	w.seen.Cause = cause
}

// milliseconds has three digits behind the point.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

const redacted = "REDACTED"

// tokenShape is what this service's tokens look like wherever they stand.
var tokenShape = regexp.MustCompile(`kt_[0-9A-Za-z]+_[0-9A-Za-z_-]+`)

// mask hides what looks like a token of this service: one that was sent under a
// wrong name, or in the path.
func mask(s string) string {
	if !strings.Contains(s, "kt_") {
		return s
	}
	return tokenShape.ReplaceAllString(s, redacted)
}

// scrub hides in a text the tokens that the request carries, good or not.
func scrub(text string, r *http.Request) string {
	text = mask(text)
	for _, token := range tokensIn(r) {
		text = strings.ReplaceAll(text, token, redacted)
	}
	return text
}

// tokensIn are all tokens that the request carries, as they were sent and as they
// are read.
func tokensIn(r *http.Request) []string {
	var tokens []string
	for pair := range strings.FieldsFuncSeq(r.URL.RawQuery, func(c rune) bool { return c == '&' || c == ';' }) {
		if !isTokenParameter(pair) {
			continue
		}
		_, raw, _ := strings.Cut(pair, "=")
		tokens = append(tokens, raw)
		if value, err := url.QueryUnescape(raw); err == nil {
			tokens = append(tokens, value)
		}
	}
	tokens = append(tokens, r.Header.Values("Access-Token")...)
	for _, value := range r.Header.Values("Authorization") {
		_, credentials, _ := strings.Cut(value, " ")
		tokens = append(tokens, strings.TrimSpace(credentials))
	}
	if name, _, ok := r.BasicAuth(); ok {
		tokens = append(tokens, name)
	}
	return slices.DeleteFunc(tokens, func(token string) bool { return token == "" })
}

// redact is the address without the tokens in it. A semicolon parts no pairs
// for this service, but a token behind one is a token.
func redact(u *url.URL) string {
	if u.RawQuery == "" {
		return mask(u.Path)
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
			b.WriteString(name + "=" + redacted)
		} else {
			b.WriteString(pair)
		}
		rest = rest[len(pair):]
		if rest != "" {
			separator, rest = rest[:1], rest[1:]
		}
	}
	return mask(b.String())
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

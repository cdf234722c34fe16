package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// logRequest logs the event of a request. It calls the handler of the logger, which saves
// finding out the source line. Durations are whole microseconds, because slog's JSON handler
// encodes fractions slowly.
func (api *API) logRequest(g *gin.Context, w *observedWriter, now time.Time) {
	ctx, handler := g.Request.Context(), api.log.Handler()
	level := levelOf(w)
	if !handler.Enabled(ctx, level) {
		return
	}
	event := slog.NewRecord(now, level, "request", 0)
	var room [24]slog.Attr
	attrs := append(room[:0], slog.String("request_id", w.request.ID))
	if w.request.TraceID != "" {
		attrs = append(attrs, slog.String("trace_id", w.request.TraceID))
	}
	attrs = append(attrs,
		slog.String("method", w.request.Method),
		slog.String("route", w.request.Route),
		slog.String("uri", redact(g.Request.URL)),
		slog.Int("status", w.request.Status),
		slog.Int64("duration_us", w.request.Took.Microseconds()),
		slog.Int("rows", w.request.Rows),
		slog.Int("queries", w.request.Queries),
		slog.Int64("db_us", w.request.Database.Microseconds()),
		slog.Int("bytes", w.request.Bytes))
	if w.request.Company != "" {
		attrs = append(attrs, slog.String("company", w.request.Company))
	}
	if w.request.UserID != 0 {
		attrs = append(attrs, slog.Int64("user_id", w.request.UserID))
	}
	if w.request.DryRun {
		attrs = append(attrs, slog.Bool("dry_run", true))
	}
	if w.request.Code != "" {
		attrs = append(attrs, slog.String("code", w.request.Code))
	}
	if w.request.Kind != "" {
		attrs = append(attrs, slog.String("kind", w.request.Kind))
	}
	attrs = appendNames(attrs, "fields", w.request.Fields)
	attrs = appendNames(attrs, "ignored", w.request.Ignored)
	attrs = appendNames(attrs, "rules", w.request.Rules)
	attrs = appendNames(attrs, "reactions", w.request.Reactions)
	event.AddAttrs(append(attrs, causes(g.Request, w.request.Cause)...)...)
	_ = handler.Handle(ctx, event) // a request does not fail because of its log
}

func appendNames(attrs []slog.Attr, key string, names []string) []slog.Attr {
	if len(names) == 0 {
		return attrs
	}
	return append(attrs, slog.String(key, strings.Join(names, ",")))
}

// levelOf returns the level of the event. Probes, which repeat every few seconds, are for
// debugging only.
func levelOf(w *observedWriter) slog.Level {
	switch {
	case w.request.Cause != nil || w.request.Status >= http.StatusInternalServerError && !w.request.IsPoll:
		return slog.LevelError
	case w.request.IsPoll:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// causes returns the attributes of an error, without the tokens of the request.
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

// failed records the cause of a 500 or 503. A request that the client canceled has
// none.
func (w *observedWriter) failed(ctx context.Context, cause error) {
	if traffic.IsCanceled(ctx, cause) && !traffic.IsShutdown(ctx) {
		w.canceled = true
		return
	}
	w.request.Cause = cause
}

// maxLoggedFields is how many of the wrong fields of a request its event names.
const maxLoggedFields = 20

// refused records why the request is refused: the code of the problem, and the kind and the fields of
// the fault behind it. The names of fields may be the caller's own; no value is recorded.
func (w *observedWriter) refused(r *http.Request, code string, err error) {
	w.request.Code = code
	f := fault.As(err)
	if f == nil {
		return
	}
	w.request.Kind = f.Kind.String()
	for _, field := range f.Fields[:min(len(f.Fields), maxLoggedFields)] {
		name := text.Truncate(scrub(field.Name, r), maxShownName)
		w.request.Fields = append(w.request.Fields, name+":"+string(field.CodeOf()))
	}
	if omitted := len(f.Fields) - maxLoggedFields; omitted > 0 {
		w.request.Fields = append(w.request.Fields, "and "+strconv.Itoa(omitted)+" more")
	}
}

const redacted = "REDACTED"

var tokenPattern = regexp.MustCompile(`kt_[0-9A-Za-z]+_[0-9A-Za-z_-]+`)

// mask redacts everything that looks like a token, such as one sent in the path or under
// a wrong name.
func mask(s string) string {
	if !strings.Contains(s, "kt_") {
		return s
	}
	return tokenPattern.ReplaceAllString(s, redacted)
}

// scrub redacts the tokens of the request in a text, valid or not.
func scrub(text string, r *http.Request) string {
	text = mask(text)
	for _, token := range tokensIn(r) {
		text = strings.ReplaceAll(text, token, redacted)
	}
	return text
}

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
	tokens = append(tokens, cookieToken(r))
	return slices.DeleteFunc(tokens, func(token string) bool { return token == "" })
}

// redact returns the path and query without tokens. A semicolon is not a separator of
// this service, but a token after one is redacted too.
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

// pairName returns the name of a query pair, decoded; the raw one if that fails.
func pairName(pair string) string {
	raw, _, _ := strings.Cut(pair, "=")
	name, err := url.QueryUnescape(raw)
	if err != nil {
		return raw
	}
	return name
}

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// lines is a log for people: an event is a line, short, and in colours where the
// terminal shows them. It says no less than JSON does, but for the names of what a
// request is made of.
//
// Chose a handler of its own over slog's text, whose fifteen names and values for
// each request nobody reads; costs keeping it up with what a request tells.
type lines struct {
	mu    *sync.Mutex
	to    io.Writer
	from  slog.Level
	shows func(p paint, text string) string
	more  []slog.Attr // of all events
	group string      // before the names that follow, with a point
}

func newLines(w io.Writer, from slog.Level) *lines {
	l := &lines{mu: new(sync.Mutex), to: w, from: from, shows: func(_ paint, text string) string { return text }}
	if plain.on(w, "") != "" {
		l.shows = func(p paint, text string) string { return string(p) + text + string(plain) }
	}
	return l
}

// Enabled tells whether events of the level are written.
func (l *lines) Enabled(_ context.Context, level slog.Level) bool { return level >= l.from }

// WithAttrs is the same log with attributes that all events have.
func (l *lines) WithAttrs(attrs []slog.Attr) slog.Handler {
	other := *l
	other.more = append([]slog.Attr(nil), l.more...)
	for _, a := range attrs {
		other.more = append(other.more, l.grouped(a))
	}
	return &other
}

// WithGroup is the same log with a name before the names of attributes.
func (l *lines) WithGroup(name string) slog.Handler {
	other := *l
	if name != "" {
		other.group += name + "."
	}
	return &other
}

func (l *lines) grouped(a slog.Attr) slog.Attr {
	a.Key = l.group + a.Key
	return a
}

// Handle writes an event.
func (l *lines) Handle(_ context.Context, event slog.Record) error {
	attrs := append([]slog.Attr(nil), l.more...)
	event.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, l.grouped(a))
		return true
	})
	var b strings.Builder
	b.WriteString(event.Time.Format("15:04:05.000") + " " + l.level(event.Level) + " ")
	if event.Message == "request" {
		attrs = l.request(&b, attrs)
	} else {
		b.WriteString(event.Message)
	}
	var below []string
	for _, a := range attrs {
		text := a.Value.Resolve().String()
		if a.Key == "stack" {
			below = append(below, text)
			continue
		}
		b.WriteString(" " + a.Key + "=" + legible(text))
	}
	b.WriteByte('\n')
	for _, text := range below {
		b.WriteString(text + "\n")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := io.WriteString(l.to, b.String())
	return err
}

func (l *lines) level(of slog.Level) string {
	text := fmt.Sprintf("%-5s", of)
	switch {
	case of >= slog.LevelError:
		return l.shows(red, text)
	case of >= slog.LevelWarn:
		return l.shows(yellow, text)
	}
	return text
}

// request writes what a request was and what it took, and gives back the
// attributes that it has left out.
func (l *lines) request(b *strings.Builder, attrs []slog.Attr) (rest []slog.Attr) {
	said := map[string]slog.Value{}
	for _, a := range attrs {
		switch a.Key {
		case "method", "uri", "status", "duration_ms", "rows", "queries", "db_ms", "bytes", "user_id", "request_id":
			said[a.Key] = a.Value
		case "route":
			// The address says it.
		default:
			rest = append(rest, a)
		}
	}
	status := said["status"].Int64()
	fmt.Fprintf(b, "%s %s %s %s", l.shows(paintOf(status), strconv.FormatInt(status, 10)),
		said["method"], legible(said["uri"].String()), spent(said["duration_ms"].Float64()))
	if n := said["queries"].Int64(); n > 0 {
		fmt.Fprintf(b, ", %s in %s", counted(n, "query", "queries"), spent(said["db_ms"].Float64()))
	}
	if n := said["rows"].Int64(); n > 0 {
		fmt.Fprintf(b, ", %s", counted(n, "row", "rows"))
	}
	fmt.Fprintf(b, ", %d B", said["bytes"].Int64())
	if id, ok := said["user_id"]; ok {
		fmt.Fprintf(b, ", user %d", id.Int64())
	}
	fmt.Fprintf(b, ", %s", legible(said["request_id"].String()))
	return rest
}

func paintOf(status int64) paint {
	switch {
	case status >= 500:
		return red
	case status >= 400:
		return yellow
	}
	return green
}

// spent is a time in three digits or so.
func spent(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

func counted(n int64, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + several
}

// legible quotes what would break a line or run into the next word.
func legible(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r == '"' || unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

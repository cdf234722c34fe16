package main

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// written is what a log for people says of the events, without the time.
func written(t *testing.T, w *bytes.Buffer) string {
	t.Helper()
	clock := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{3} `)
	if n := strings.Count(w.String(), "\n"); len(clock.FindAllString(w.String(), -1)) == 0 || n == 0 {
		t.Errorf("the lines do not begin with the time of day:\n%s", w)
	}
	return clock.ReplaceAllString(w.String(), "")
}

func request(attrs ...any) []any {
	return append([]any{
		"request_id", "5f0c2a91", "method", "GET", "route", "/rest/client", "uri", "/rest/client?name=a%20b", "status", 200,
		"duration_ms", 1.234, "rows", 10, "queries", 1, "db_ms", 0.8, "bytes", 2134,
	}, attrs...)
}

func TestALogForPeopleHasALineForEachEvent(t *testing.T) {
	for want, tell := range map[string]func(log *slog.Logger){
		"INFO  serving address=http://127.0.0.1:8080\n": func(log *slog.Logger) { log.Info("serving", "address", "http://127.0.0.1:8080") },
		"WARN  not ready error=\"a cable\\nis loose\"\n": func(log *slog.Logger) {
			log.Warn("not ready", "error", errors.New("a cable\nis loose"))
		},
		"INFO  stopping grace=20s\n": func(log *slog.Logger) { log.Info("stopping", "grace", 20*time.Second) },
		"INFO  200 GET /rest/client?name=a%20b 1.234ms, 1 query in 800µs, 10 rows, 2134 B, 5f0c2a91\n": func(log *slog.Logger) {
			log.Info("request", request()...)
		},
		"ERROR 200 GET /rest/client?name=a%20b 1.234ms, 1 query in 800µs, 10 rows, 2134 B, user 4, 5f0c2a91 trace_id=4bf9 error=\"no cable\"\ngoroutine 1\n": func(log *slog.Logger) {
			log.Error("request", request("user_id", 4, "trace_id", "4bf9", "error", "no cable", "stack", "goroutine 1")...)
		},
		"INFO  began part=db db.try=2\n": func(log *slog.Logger) { log.With("part", "db").WithGroup("db").Info("began", "try", 2) },
	} {
		var w bytes.Buffer
		tell(slog.New(newLines(&w, slog.LevelInfo)))
		if got := written(t, &w); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// Who reads the log must not see which of the two ways an event was written.
func TestJSONIsAsSlogWritesIt(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 123_000_000, time.UTC)
	for name, attrs := range map[string][]slog.Attr{
		"a request": {slog.String("uri", "/rest/client?name=a%20b&<x>"), slog.Int("status", 200), slog.Float64("ms", 1.234), slog.Int64("user", -4)},
		"numbers":   {slog.Float64("a", 0), slog.Float64("b", 0.001), slog.Float64("c", 123456.789), slog.Float64("d", 1e-9), slog.Float64("e", 1e21), slog.Float64("f", 29999.5)},
		"a quote":   {slog.String("a", `"`)},
		"a slash":   {slog.String("a", `\`)},
		"a line":    {slog.String("a", "line\nline")},
		"an escape": {slog.String("a", "\x1b\x7f")},
		"a letter":  {slog.String("a", "B\u00fcro")},
		"an end":    {slog.String("a", "\u2028")},
		"a mess":    {slog.String("a", "\xff")},
		"a name":    {slog.String("a\"b", "c")},
		"others":    {slog.Any("error", errors.New("no")), slog.Bool("ok", true), slog.Duration("d", time.Second), slog.Time("t", at), slog.Group("g", "a", 1)},
		"nothing":   nil,
	} {
		event := slog.NewRecord(at, slog.LevelWarn, "request", 0)
		event.AddAttrs(attrs...)
		var ours, slogs bytes.Buffer
		own, other := newJSON(&ours, slog.LevelInfo), slog.NewJSONHandler(&slogs, nil)
		for _, h := range []slog.Handler{own, other} {
			_ = h.Handle(t.Context(), event)
			_ = h.WithAttrs([]slog.Attr{slog.String("part", "db")}).WithGroup("g").Handle(t.Context(), event)
		}
		if ours.String() != slogs.String() || ours.Len() == 0 {
			t.Errorf("%s is written as\n%s\nwant\n%s", name, &ours, &slogs)
		}
	}
	quiet := newJSON(new(bytes.Buffer), slog.LevelWarn)
	if quiet.Enabled(t.Context(), slog.LevelInfo) || !quiet.Enabled(t.Context(), slog.LevelWarn) {
		t.Error("the level is not kept")
	}
}

func BenchmarkTheEventOfARequest(b *testing.B) {
	event := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
	event.Add(request()...)
	to := struct{ io.Writer }{io.Discard}
	for name, h := range map[string]slog.Handler{"ours": newJSON(to, slog.LevelInfo), "slog": slog.NewJSONHandler(to, nil)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = h.Handle(b.Context(), event)
			}
		})
	}
}

// A caller must not be able to write events, or colours, into the log.
func TestALogForPeopleQuotesWhatACallerSends(t *testing.T) {
	var w bytes.Buffer
	slog.New(newLines(&w, slog.LevelInfo)).Info("request", request("uri", "/a\n12:00:00.000 ERROR b\x1b[31m")...)
	if got := w.String(); strings.Count(got, "\n") != 1 || strings.Contains(got, "\x1b") {
		t.Errorf("written is %q", got)
	}
}

func TestOnlyATerminalGetsColours(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	c := bootstrap.Config{LogFormat: "auto"}
	lines, ok := newLogger(c, terminal(t)).Handler().(*lines)
	if !ok || lines.shows(red, "500") != "\x1b[31m500\x1b[0m" {
		t.Error("a terminal gets no coloured lines")
	}
	if _, ok := newLogger(c, new(bytes.Buffer)).Handler().(*plainJSON); !ok {
		t.Error("a file does not get JSON")
	}
	if got := newLines(new(bytes.Buffer), slog.LevelInfo).shows(red, "500"); got != "500" {
		t.Errorf("a file gets %q", got)
	}
}

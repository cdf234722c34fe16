package program

import (
	"bytes"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// withoutTime is the text log without the time of day of its lines.
func withoutTime(t *testing.T, w *bytes.Buffer) string {
	t.Helper()
	clock := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{3} `)
	if !clock.MatchString(w.String()) {
		t.Errorf("the lines do not begin with the time of day:\n%s", w)
	}
	return clock.ReplaceAllString(w.String(), "")
}

func request(attrs ...any) []any {
	return append([]any{
		"request_id", "5f0c2a91", "method", "GET", "route", "/rest/client", "uri", "/rest/client?name=a%20b", "status", 200,
		"duration_us", 1234, "rows", 10,
	}, attrs...)
}

func TestTextLogHasOneLinePerEvent(t *testing.T) {
	for want, write := range map[string]func(log *slog.Logger){
		"INFO  serving address=http://127.0.0.1:8080\n": func(log *slog.Logger) { log.Info("serving", "address", "http://127.0.0.1:8080") },
		"WARN  not ready error=\"a cable\\nis loose\"\n": func(log *slog.Logger) {
			log.Warn("not ready", "error", errors.New("a cable\nis loose"))
		},
		"INFO  stopping grace=20s\n": func(log *slog.Logger) { log.Info("stopping", "grace", 20*time.Second) },
		"INFO  200 GET /rest/client?name=a%20b request_id=5f0c2a91 duration_us=1234 rows=10\n": func(log *slog.Logger) {
			log.Info("request", request()...)
		},
		"ERROR 200 GET /rest/client?name=a%20b request_id=5f0c2a91 duration_us=1234 rows=10 user_id=4 error=\"no cable\"\ngoroutine 1\n": func(log *slog.Logger) {
			log.Error("request", request("user_id", 4, "error", "no cable", "stack", "goroutine 1")...)
		},
		"INFO  began part=db db.try=2\n": func(log *slog.Logger) { log.With("part", "db").WithGroup("db").Info("began", "try", 2) },
	} {
		var w bytes.Buffer
		write(slog.New(newTextHandler(&w, slog.LevelInfo)))
		if got := withoutTime(t, &w); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// A caller must not be able to write events, or colours, into the log.
func TestTextLogQuotesWhatACallerSends(t *testing.T) {
	var w bytes.Buffer
	slog.New(newTextHandler(&w, slog.LevelInfo)).Info("request", request("uri", "/a\n12:00:00.000 ERROR b\x1b[31m")...)
	if got := w.String(); strings.Count(got, "\n") != 1 || strings.Contains(got, "\x1b") {
		t.Errorf("written is %q", got)
	}
}

func TestLogOnATerminalIsTextInColours(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	c := bootstrap.Config{LogFormat: "auto"}
	if _, ok := newLogger(c, new(bytes.Buffer)).Handler().(*slog.JSONHandler); !ok {
		t.Error("a file does not get JSON")
	}
	if got := newTextHandler(new(bytes.Buffer), slog.LevelInfo).paint(red, "500"); got != "500" {
		t.Errorf("a file gets %q", got)
	}
	h, ok := newLogger(c, terminal(t)).Handler().(*textHandler)
	if !ok || h.paint(red, "500") != "\x1b[31m500\x1b[0m" {
		t.Error("a terminal gets no coloured text")
	}
}

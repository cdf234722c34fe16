package program

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func newLogger(c bootstrap.Config, w io.Writer) *slog.Logger {
	if c.LogFormat == "text" || c.LogFormat == "auto" && isTerminal(w) {
		return slog.New(newTextHandler(w, c.LogLevel))
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: c.LogLevel}))
}

// textHandler is a log for people: one line per event, with the time of day and,
// where the terminal shows them, colours.
//
// Chose a handler of its own over slog's text handler, because that quotes colours
// and shows method, address and status of a request as three attributes among
// fifteen; costs these lines.
type textHandler struct {
	mu    *sync.Mutex
	w     io.Writer
	level slog.Level
	paint func(c colour, text string) string
	attrs []slog.Attr // of all events
	group string      // prefix of the keys that follow, ending in a point
}

func newTextHandler(w io.Writer, level slog.Level) *textHandler {
	h := &textHandler{mu: new(sync.Mutex), w: w, level: level, paint: func(_ colour, text string) string { return text }}
	if showsColours(w) {
		h.paint = colour.around
	}
	return h
}

func (h *textHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

func (h *textHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	other := *h
	other.attrs = slices.Clone(h.attrs)
	for _, a := range attrs {
		other.attrs = append(other.attrs, h.grouped(a))
	}
	return &other
}

// WithGroup returns a handler with a prefix before the keys of attributes.
func (h *textHandler) WithGroup(name string) slog.Handler {
	other := *h
	if name != "" {
		other.group += name + "."
	}
	return &other
}

func (h *textHandler) grouped(a slog.Attr) slog.Attr {
	a.Key = h.group + a.Key
	return a
}

// Handle writes an event. An attribute "stack" follows the line.
func (h *textHandler) Handle(_ context.Context, event slog.Record) error {
	attrs := slices.Clone(h.attrs)
	event.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, h.grouped(a))
		return true
	})
	message := event.Message
	if message == "request" {
		message, attrs = h.request(attrs)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", event.Time.Format("15:04:05.000"), h.paint(colourOfLevel(event.Level), fmt.Sprintf("%-5s", event.Level)), message)
	stack := ""
	for _, a := range attrs {
		text := a.Value.Resolve().String()
		if a.Key == "stack" {
			stack = text + "\n"
			continue
		}
		b.WriteString(" " + a.Key + "=" + quoted(text))
	}
	b.WriteString("\n" + stack)
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := io.WriteString(h.w, b.String())
	return err
}

// request returns the status, method and address of a request as a message, and
// the remaining attributes.
func (h *textHandler) request(attrs []slog.Attr) (message string, rest []slog.Attr) {
	var status int64
	var method, uri string
	for _, a := range attrs {
		switch a.Key {
		case "status":
			status = a.Value.Int64()
		case "method":
			method = a.Value.String()
		case "uri":
			uri = a.Value.String()
		case "route":
			// The address contains it.
		default:
			rest = append(rest, a)
		}
	}
	return h.paint(colourOfStatus(status), strconv.FormatInt(status, 10)) + " " + method + " " + quoted(uri), rest
}

func colourOfLevel(level slog.Level) colour {
	switch {
	case level >= slog.LevelError:
		return red
	case level >= slog.LevelWarn:
		return yellow
	}
	return none
}

func colourOfStatus(status int64) colour {
	switch {
	case status >= 500:
		return red
	case status >= 400:
		return yellow
	}
	return green
}

// quoted quotes text that would break the line or run into the next word.
func quoted(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r == '"' || unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

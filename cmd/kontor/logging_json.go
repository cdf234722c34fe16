package main

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"
)

// plainJSON writes the same as slog's handler for JSON, and what consists of
// numbers and plain text, as the event of a request does, in a third of the time.
// What does not is left to slog.
//
// Chose a second way to write the same over slog's alone, because the event of a
// request was a twentieth of what a short request costs; costs a test that holds
// one against the other.
type plainJSON struct {
	slog.Handler
	to   io.Writer
	room *sync.Pool
}

func newJSON(w io.Writer, from slog.Level) *plainJSON {
	w = &oneByOne{to: w}
	return &plainJSON{
		Handler: slog.NewJSONHandler(w, &slog.HandlerOptions{Level: from}),
		to:      w,
		room:    &sync.Pool{New: func() any { return new([]byte) }},
	}
}

// Handle writes an event.
func (h *plainJSON) Handle(ctx context.Context, event slog.Record) error {
	b := h.room.Get().(*[]byte)
	defer h.room.Put(b)
	line, ok := appendEvent((*b)[:0], event)
	*b = line
	if !ok {
		return h.Handler.Handle(ctx, event)
	}
	_, err := h.to.Write(line)
	return err
}

// appendEvent appends an event as a line; ok is false if it is not plain enough.
func appendEvent(b []byte, event slog.Record) (line []byte, ok bool) {
	b = event.Time.AppendFormat(append(b, `{"time":"`...), time.RFC3339Nano)
	b = append(append(b, `","level":"`...), event.Level.String()...)
	b, ok = appendText(append(b, `","msg":`...), event.Message)
	event.Attrs(func(a slog.Attr) bool {
		if ok {
			b, ok = appendText(append(b, ','), a.Key)
		}
		if ok {
			b, ok = appendValue(append(b, ':'), a.Value)
		}
		return ok
	})
	return append(b, "}\n"...), ok
}

func appendValue(b []byte, v slog.Value) (to []byte, ok bool) {
	switch v.Kind() {
	case slog.KindString:
		return appendText(b, v.String())
	case slog.KindInt64:
		return strconv.AppendInt(b, v.Int64(), 10), true
	case slog.KindFloat64:
		// Others are written with an exponent, or cannot be written at all.
		f := v.Float64()
		return strconv.AppendFloat(b, f, 'f', -1, 64), f == 0 || f > 1e-6 && f < 1e9
	}
	return b, false
}

// appendText appends a text in which nothing has to be escaped.
func appendText(b []byte, text string) (to []byte, ok bool) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return b, false
		}
	}
	return append(append(append(b, '"'), text...), '"'), true
}

// oneByOne lets one line be written at a time, by whichever handler.
type oneByOne struct {
	mu sync.Mutex
	to io.Writer
}

func (o *oneByOne) Write(line []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.to.Write(line)
}

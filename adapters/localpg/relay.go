package localpg

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// relay passes what a server says on to Kontor's log and remembers the end of it.
type relay struct {
	log     *slog.Logger
	settled atomic.Bool   // between ready and stop: what the server itself says is then news
	done    chan struct{} // closed when the server and all its processes have closed the log

	mu   sync.Mutex
	last []string
}

const (
	keptLines = 10
	lineLimit = 4096 // bytes; the rest of a longer line is dropped
)

func newRelay(log *slog.Logger) *relay {
	return &relay{log: log, done: make(chan struct{})}
}

// run reads until the last process that has the other end closes it.
func (r *relay) run(from io.ReadCloser) {
	defer close(r.done)
	defer from.Close()
	lines := bufio.NewReaderSize(from, lineLimit)
	level := slog.LevelWarn
	for {
		text, more, err := lines.ReadLine()
		if err != nil {
			return
		}
		line := string(text)
		for more && err == nil {
			_, more, err = lines.ReadLine()
		}
		r.remember(line)
		source, message := "", strings.TrimPrefix(line, "\t")
		if message == line { // else the line continues the one before, at its level
			source, message, level = r.parse(line)
		}
		r.log.Log(context.Background(), level, "PostgreSQL", "says", message, "process", source)
	}
}

func (r *relay) remember(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = append(r.last, line)
	if len(r.last) > keptLines {
		r.last = r.last[1:]
	}
}

// drain waits until a server that has ended is read to its end; only a moment, as one that was killed may
// have left processes that still hold the log.
func (r *relay) drain() {
	select {
	case <-r.done:
	case <-time.After(200 * time.Millisecond):
	}
}

func (r *relay) lastOutput() string {
	r.drain()
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.last, "\n")
}

// parse splits a line of the form `checkpointer|LOG:  text`. The code that opened a connection handles messages to it,
// so these are logged at debug level, unless the server panics.
func (r *relay) parse(line string) (source, message string, level slog.Level) {
	source, rest, prefixed := strings.Cut(line, "|")
	severity, message, found := strings.Cut(rest, ":  ")
	if !prefixed || !found {
		return "", line, slog.LevelWarn // said before the settings were read, or by another program
	}
	forClient := source == "client backend"
	switch {
	case severity == "PANIC", !forClient && (severity == "ERROR" || severity == "FATAL"):
		return source, message, slog.LevelError
	case !forClient && severity == "WARNING":
		return source, message, slog.LevelWarn
	case source == "postmaster" && r.settled.Load():
		return source, message, slog.LevelInfo
	}
	return source, message, slog.LevelDebug
}

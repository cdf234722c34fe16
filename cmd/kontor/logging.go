package main

import (
	"io"
	"log/slog"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// newLogger writes structured events: JSON for machines, a line each for people.
func newLogger(c bootstrap.Config, w io.Writer) *slog.Logger {
	if c.LogFormat == "text" || c.LogFormat == "auto" && isTerminal(w) {
		return slog.New(newLines(w, c.LogLevel))
	}
	return slog.New(newJSON(w, c.LogLevel))
}

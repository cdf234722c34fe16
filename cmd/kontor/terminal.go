package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// isTerminal tells whether somebody reads what is written there.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A paint is an escape sequence of terminals; the empty one paints nothing.
type paint string

const (
	red    paint = "\x1b[31m"
	green  paint = "\x1b[32m"
	yellow paint = "\x1b[33m"
	plain  paint = "\x1b[0m"
)

// on paints the text if it is written to a terminal that shows colours, and its user
// does not do without: see https://no-color.org.
func (p paint) on(w io.Writer, text string) string {
	if p == "" || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !isTerminal(w) {
		return text
	}
	return string(p) + text + string(plain)
}

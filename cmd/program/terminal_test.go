package program

import (
	"bytes"
	"os"
	"testing"
)

// terminal is a pseudo-terminal; the test is skipped where there is none.
func terminal(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminal: ", err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// contract 1.69
func TestColoursAreForTerminalsThatShowThem(t *testing.T) {
	for _, c := range []struct {
		noColor, term string
		want          bool
	}{
		{"", "xterm", true},
		{"", "", true},
		{"1", "xterm", false},
		{"", "dumb", false},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		if got := showsColours(terminal(t)); got != c.want {
			t.Errorf("with NO_COLOR=%s and TERM=%s a terminal shows colours: %v", c.noColor, c.term, got)
		}
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device, too
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if showsColours(null) || showsColours(new(bytes.Buffer)) {
		t.Error("not only a terminal shows colours")
	}
	if got := red.around("fail"); got != "\x1b[31mfail\x1b[0m" {
		t.Errorf("red is %q", got)
	}
}

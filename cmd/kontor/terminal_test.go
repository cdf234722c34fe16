package main

import (
	"bytes"
	"os"
	"testing"
)

// terminal opens a pseudo-terminal. The test is skipped on a system without any,
// such as a bare chroot.
func terminal(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// contract 1.69
func TestColoursAreForTerminalsThatShowThem(t *testing.T) {
	const painted = "\x1b[31mfail\x1b[0m"
	for _, c := range []struct{ noColor, term, want string }{
		{"", "xterm", painted},
		{"", "", painted},
		{"1", "xterm", "fail"},
		{"", "dumb", "fail"},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		if got := red.on(terminal(t), "fail"); got != c.want {
			t.Errorf("with NO_COLOR=%s and TERM=%s a terminal gets %q, want %q", c.noColor, c.term, got, c.want)
		}
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a device of characters too
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if got := red.on(null, "fail"); got != "fail" {
		t.Errorf("%s gets %q", os.DevNull, got)
	}
	if got := red.on(new(bytes.Buffer), "fail"); got != "fail" {
		t.Errorf("a file gets %q", got)
	}
}

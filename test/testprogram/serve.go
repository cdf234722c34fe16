package testprogram

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Log has the lines of the log of a running program.
type Log struct {
	mu    sync.Mutex
	lines []string
}

func (l *Log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// Lines returns the lines.
func (l *Log) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// Count returns how many lines have the text.
func (l *Log) Count(text string) (n int) {
	for _, line := range l.Lines() {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// Await waits until a line has the text.
func (l *Log) Await(t testing.TB, text string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); l.Count(text) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the log never says %q: %q", text, l.Lines())
		}
	}
}

// Serve starts a kontor serve that logs in JSON, and returns its address when its log says where it serves.
func Serve(t testing.TB, program *exec.Cmd) (address string, log *Log) {
	t.Helper()
	out, err := program.StderrPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	log = &Log{}
	serves, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			log.add(lines.Text())
			var event struct{ Msg, Address string }
			if json.Unmarshal(lines.Bytes(), &event) == nil && event.Msg == "serving" {
				serves <- event.Address
			}
		}
	}()
	select {
	case address = <-serves:
		return address, log
	case <-ended:
		t.Fatalf("the program ended without serving: %v %q", program.Wait(), log.Lines())
		return "", nil
	}
}

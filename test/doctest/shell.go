package doctest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a shell may take.
const (
	patience = 2 * time.Minute  // for one block
	farewell = 45 * time.Second // for what runs in the background to stop
)

// endOf begins the line that a shell prints after a block, and when it ends; its
// status follows.
const endOf = "--- end of the block: "

// Shell runs blocks, one after the other.
type Shell struct {
	t       testing.TB
	command *exec.Cmd
	input   io.WriteCloser
	lines   chan string // what it prints, closed with the last
	scripts string      // folder of the blocks, written to files
	ended   error       // why it runs no more blocks
}

// Start starts a shell in a folder, with variables besides those of the test's own
// environment, of which Kontor's and PostgreSQL's are left out. At the end of the
// test it is stopped with all that it has started.
func Start(t testing.TB, folder string, variables ...string) *Shell {
	t.Helper()
	s := &Shell{t: t, scripts: t.TempDir(), lines: make(chan string, 64)}
	s.command = exec.Command("sh", "-eu")
	s.command.Dir = folder
	s.command.Env = append(slices.DeleteFunc(os.Environ(), ofServices), variables...)
	s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to stop all of it at once
	if err := s.start(); err != nil {
		t.Fatalf("start a shell: %v", err)
	}
	t.Cleanup(s.stop)
	return s
}

func ofServices(variable string) bool {
	return strings.HasPrefix(variable, "KONTOR_") || strings.HasPrefix(variable, "PG")
}

func (s *Shell) start() (err error) {
	if s.input, err = s.command.StdinPipe(); err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	s.command.Stdout, s.command.Stderr = write, write
	err = s.command.Start()
	write.Close()
	if err != nil {
		read.Close()
		return err
	}
	go func() {
		defer close(s.lines)
		defer read.Close()
		for lines := bufio.NewReader(read); ; {
			line, err := lines.ReadString('\n')
			if line != "" {
				s.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	// It is signalled with its programs at the end, and has to wait for them.
	_, err = fmt.Fprintf(s.input, "trap : TERM\ntrap 'echo \"%s$?\"' EXIT\n", endOf)
	return err
}

// Run runs a block and returns what it prints. A block that fails, or prints
// something else than the page says, ends the test. A block that is not run is
// passed over.
func (s *Shell) Run(b Block) string {
	s.t.Helper()
	if b.Reason != "" {
		return ""
	}
	printed, err := s.run(b)
	if err == nil {
		err = b.holds(printed)
	}
	if err != nil {
		s.t.Fatalf("%s\n%s\n\n%v", b.Name(), b.Script, err)
	}
	return printed
}

func (s *Shell) run(b Block) (printed string, err error) {
	if s.ended != nil {
		return "", s.ended
	}
	// From a file, so that a program that reads its input does not get the next blocks.
	script := filepath.Join(s.scripts, "block.sh")
	if err := os.WriteFile(script, []byte(b.Script+"\n"), 0o600); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintf(s.input, ". '%s' </dev/null\necho '%sdone'\n", script, endOf); err != nil {
		return "", fmt.Errorf("the shell does not listen: %w", err)
	}
	printed, status, err := s.listen()
	if err != nil {
		s.ended = err
		return printed, fmt.Errorf("%w, after it printed\n%s", err, printed)
	}
	if status != "done" {
		s.ended = errors.New("the shell has ended with the block before")
		return printed, fmt.Errorf("fails with the status %s, after it printed\n%s", status, printed)
	}
	return printed, nil
}

// listen collects what is printed until the shell tells a status.
func (s *Shell) listen() (printed, status string, err error) {
	var text strings.Builder
	late := time.After(patience)
	for {
		select {
		case line, more := <-s.lines:
			if !more {
				return text.String(), "", errors.New("the shell is gone")
			}
			// What comes before is a last line without an end.
			last, told, ends := strings.Cut(line, endOf)
			text.WriteString(last)
			if ends {
				return text.String(), strings.TrimSpace(told), nil
			}
		case <-late:
			return text.String(), "", fmt.Errorf("is not done after %s", patience)
		}
	}
}

// stop asks all that the shell has started to stop, and has the shell wait for it.
func (s *Shell) stop() {
	group := -s.command.Process.Pid
	_, _ = io.WriteString(s.input, "set +e\nuntil wait; do :; done\n")
	_ = s.input.Close()
	go func() {
		for range s.lines { // nothing waits for somebody to read it
			continue
		}
	}()
	gone := make(chan struct{})
	go func() {
		_ = s.command.Wait()
		close(gone)
	}()
	// More than once, as a program that is only just being started may not hear it.
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for late := time.After(farewell); ; {
		_ = syscall.Kill(group, syscall.SIGTERM)
		select {
		case <-gone:
			_ = syscall.Kill(group, syscall.SIGKILL) // what has left the shell
			return
		case <-again.C:
		case <-late:
			s.t.Error("what the page starts in the background does not stop, and is killed")
			_ = syscall.Kill(group, syscall.SIGKILL)
			<-gone
			return
		}
	}
}

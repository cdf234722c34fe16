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

// The time limits of a shell.
const (
	blockTimeout = 5 * time.Minute  // for one block, which may build a program
	stopTimeout  = 45 * time.Second // for background processes to stop
)

// endOf begins the line with the status that a shell prints after a block and at
// its end.
const endOf = "--- end of the block: "

// Shell runs blocks one after the other.
type Shell struct {
	t       testing.TB
	command *exec.Cmd
	input   io.WriteCloser
	lines   chan string // output, closed at the end
	scripts string      // folder for the blocks as files
	ended   error       // why it cannot run more blocks
}

// Start starts a shell in a folder, with these variables added to the environment
// of the test without Kontor's and PostgreSQL's. At the end of the test it is
// stopped with all its processes.
func Start(t testing.TB, folder string, variables ...string) *Shell {
	t.Helper()
	s := &Shell{t: t, scripts: t.TempDir(), lines: make(chan string, 64)}
	s.command = exec.Command("sh", "-eu")
	s.command.Dir = folder
	s.command.Env = append(slices.DeleteFunc(os.Environ(), ofServices), variables...)
	s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to stop the whole group
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
	// At the end it is signalled with its processes, and waits for them.
	_, err = fmt.Fprintf(s.input, "trap : TERM\ntrap 'echo \"%s$?\"' EXIT\n", endOf)
	return err
}

// Run runs a block and returns its output. A failure or a difference from the page
// ends the test. A block that is not to be run is skipped.
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
	// From a file, so that a command that reads its input does not read the next blocks.
	script := filepath.Join(s.scripts, "block.sh")
	if err := os.WriteFile(script, []byte(b.Script+"\n"), 0o600); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintf(s.input, ". '%s' </dev/null\necho '%sdone'\n", script, endOf); err != nil {
		return "", fmt.Errorf("cannot write to the shell: %w", err)
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

// listen collects the output until the shell prints a status.
func (s *Shell) listen() (printed, status string, err error) {
	var text strings.Builder
	late := time.After(blockTimeout)
	for {
		select {
		case line, more := <-s.lines:
			if !more {
				return text.String(), "", errors.New("the shell is gone")
			}
			// The text before is a last line without a line break.
			last, code, ends := strings.Cut(line, endOf)
			text.WriteString(last)
			if ends {
				return text.String(), strings.TrimSpace(code), nil
			}
		case <-late:
			return text.String(), "", fmt.Errorf("timed out after %s", blockTimeout)
		}
	}
}

// stop terminates all processes of the shell, and waits for the shell.
func (s *Shell) stop() {
	group := -s.command.Process.Pid
	_, _ = io.WriteString(s.input, "set +e\nuntil wait; do :; done\n")
	_ = s.input.Close()
	go func() {
		for range s.lines { // drain, so that no process blocks
			continue
		}
	}()
	gone := make(chan struct{})
	go func() {
		_ = s.command.Wait()
		close(gone)
	}()
	// Repeatedly, as a process that is just starting may miss it.
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for late := time.After(stopTimeout); ; {
		_ = syscall.Kill(group, syscall.SIGTERM)
		select {
		case <-gone:
			_ = syscall.Kill(group, syscall.SIGKILL) // what outlives the shell
			return
		case <-again.C:
		case <-late:
			s.t.Error("a background process of the page did not stop and was killed")
			_ = syscall.Kill(group, syscall.SIGKILL)
			<-gone
			return
		}
	}
}

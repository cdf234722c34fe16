package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Process is a server that is measured.
type Process struct {
	Name    string
	Address string // host and port

	pid   int
	cmd   *exec.Cmd
	ended chan error
}

// Kontor starts the program as an operator does: only the address, the database and where the log
// goes are said. The log is written as always, to nowhere.
func Kontor(ctx context.Context, program, databaseURL string) (*Process, error) {
	return launch(ctx, "kontor", "/readyz", kontorCommand(program, databaseURL))
}

func kontorCommand(program, databaseURL string) func(address string) *exec.Cmd {
	return func(address string) *exec.Cmd {
		return exec.Command(program, "serve", "--database-url", databaseURL, "--listen", address)
	}
}

// itself starts this program with another task.
func itself(ctx context.Context, name string, args ...string) (*Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return launch(ctx, name, "/readyz", func(address string) *exec.Cmd {
		return exec.Command(program, append([]string{name, "-listen", address}, args...)...)
	})
}

const patience = 2 * time.Minute

func launch(ctx context.Context, name, path string, command func(address string) *exec.Cmd) (*Process, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	p := &Process{Name: name, Address: address, cmd: command(address), ended: make(chan error, 1)}
	p.cmd.Env = withoutSettings(os.Environ())
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p.pid = p.cmd.Process.Pid
	go func() { p.ended <- p.cmd.Wait() }()
	for deadline := time.Now().Add(patience); ; {
		if answers(ctx, address, path) {
			return p, nil
		}
		select {
		case err := <-p.ended:
			return nil, fmt.Errorf("%s ended at once (%w): to see why, run %s", name, err, strings.Join(p.cmd.Args, " "))
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), p.Stop())
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return nil, errors.Join(fmt.Errorf("%s is not ready after %s", name, patience), p.Stop())
		}
	}
}

// withoutSettings drops what would configure the service.
func withoutSettings(environment []string) []string {
	var kept []string
	for _, entry := range environment {
		if !strings.HasPrefix(entry, "KONTOR_") {
			kept = append(kept, entry)
		}
	}
	return kept
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

func answers(ctx context.Context, address, path string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// Stop ends the process as an operator does.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.Name, err)
	}
	select {
	case err := <-p.ended:
		if err != nil {
			return fmt.Errorf("%s ended badly: %w", p.Name, err)
		}
		return nil
	case <-time.After(30 * time.Second):
		return errors.Join(fmt.Errorf("%s does not stop", p.Name), p.cmd.Process.Kill())
	}
}

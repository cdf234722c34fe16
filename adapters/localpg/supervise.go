package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Restarts of a server that ended unexpectedly.
const (
	firstPause = 100 * time.Millisecond // doubled each time
	longPause  = 10 * time.Second       // but never longer than this
	stable     = time.Minute            // a server that lived so long starts with the first pause again
	startTries = 5                      // tries of Start: about three seconds for transient errors
)

// stages are the signals that stop PostgreSQL, and how long each may take before the next one: fast shutdown
// (ends connections, writes a checkpoint), immediate shutdown (recovers at the next start), SIGKILL.
var stages = []struct {
	signal   syscall.Signal
	patience time.Duration
}{
	{syscall.SIGINT, 20 * time.Second},
	{syscall.SIGQUIT, 5 * time.Second},
	{syscall.SIGKILL, 5 * time.Second},
}

// errStoppedWithoutCheckpoint means that the clean way to stop took too long. No committed data are lost.
var errStoppedWithoutCheckpoint = errors.New("PostgreSQL did not stop in time and was shut down without a checkpoint; it recovers at its next start")

var errEnded = errors.New("PostgreSQL ended")

type process struct {
	cmd    *exec.Cmd
	output *relay
	ended  chan struct{} // closed when it has ended; err is set before
	err    error
}

// launch starts the server, without waiting until it is ready.
func (in instance) launch(ctx context.Context) (*process, error) {
	if err := in.takeOver(ctx); err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	// Not bound to the context: that would kill it hard, and only Start's waiting has an end.
	cmd := in.account.command(context.Background(), in.folder.data(), filepath.Join(in.bin, "postgres"), in.arguments()...)
	cmd.Stdout, cmd.Stderr = write, write
	err = cmd.Start()
	write.Close()
	if err != nil {
		read.Close()
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	p := &process{cmd: cmd, output: newRelay(in.log), ended: make(chan struct{})}
	go p.output.run(read)
	go func() {
		p.err = cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// bringUp starts the server and waits until it is ready. One that ends before is tried again: after a crash
// the processes of the server before may need a moment to let go of its memory.
func (in instance) bringUp(ctx context.Context) (*process, error) {
	pause := firstPause
	for try := 1; ; try++ {
		p, err := in.launch(ctx)
		if err != nil {
			return nil, err
		}
		err = in.awaitReady(ctx, p)
		if err == nil {
			p.output.settled.Store(true)
			return p, nil
		}
		if !errors.Is(err, errEnded) || try == startTries {
			return nil, errors.Join(err, p.stop())
		}
		in.log.Warn("PostgreSQL did not start, trying again", "in", pause, "error", err)
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-time.After(pause):
			pause *= 2
		}
	}
}

// supervise keeps the server running until the context ends, then stops it and releases the folder. It
// owns the process: nothing else signals or awaits it.
func (s *Server) supervise(ctx context.Context, p *process) {
	defer close(s.done)
	pause, since := firstPause, time.Now()
	for {
		select {
		case <-ctx.Done():
			s.stopErr = errors.Join(p.stop(), s.instance.tidySocket(), s.lock.release())
			return
		case <-p.ended:
		}
		if time.Since(since) > stable {
			pause = firstPause
		}
		s.instance.log.Error("restarting PostgreSQL, which ended unexpectedly", "in", pause, "error", p.failure())
		p, since = s.instance.relaunch(ctx, p, pause), time.Now()
		pause = min(2*pause, longPause)
	}
}

// relaunch starts the server again after the pause. When the context ends or the start fails, it returns the process
// that has ended, for the supervisor to see once more.
func (in instance) relaunch(ctx context.Context, ended *process, pause time.Duration) *process {
	select {
	case <-ctx.Done():
		return ended
	case <-time.After(pause):
	}
	p, err := in.launch(ctx)
	if err != nil {
		in.log.Error("PostgreSQL cannot be started again", "error", err)
		return ended
	}
	p.output.settled.Store(true)
	return p
}

// tidySocket removes a socket's folder made under TMPDIR.
func (in instance) tidySocket() error {
	if filepath.Dir(in.socket) == in.folder.path {
		return nil
	}
	err := os.Remove(in.socket)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTEMPTY) {
		return nil // emptied by somebody else, or holding the socket of a server stopped hard
	}
	return err
}

func (p *process) stop() error {
	p.output.settled.Store(false)
	defer p.output.drain()
	select {
	case <-p.ended:
		return nil
	default:
	}
	return shutDown(context.Background(), func(s syscall.Signal) error { return p.cmd.Process.Signal(s) }, p.ended)
}

// shutDown goes through the stages until ended is closed.
func shutDown(ctx context.Context, signal func(syscall.Signal) error, ended <-chan struct{}) error {
	for i, stage := range stages {
		err := signal(stage.signal)
		if err != nil && !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("signal PostgreSQL: %w", err)
		}
		select {
		case <-ended:
			if i > 0 {
				return errStoppedWithoutCheckpoint
			}
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(stage.patience):
		}
	}
	return errors.New("PostgreSQL did not stop, not even on SIGKILL")
}

// failure describes the end of a process, with its last output.
func (p *process) failure() error {
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	return fmt.Errorf("%w: %s; its last output:\n%s", errEnded, how, p.output.lastOutput())
}

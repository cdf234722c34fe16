package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/kontor-crm/kontor/test/rest"
)

// Instance is one of several programs on the database of a site, with an address of
// its own that restarts keep.
type Instance struct {
	Address string

	site        *Site
	environment []string
	process     *exec.Cmd
	ended       chan *os.ProcessState
}

// StartInstance starts an instance with settings, such as KONTOR_DRAIN_DELAY=1s,
// and waits until it is ready.
func (s *Site) StartInstance(ctx context.Context, settings ...string) (*Instance, error) {
	address, err := rest.FreeAddress()
	if err != nil {
		return nil, err
	}
	i := &Instance{Address: address, site: s, environment: append(settings, "KONTOR_LISTEN="+address)}
	if err := i.start(ctx); err != nil {
		return nil, errors.Join(err, i.Close())
	}
	return i, nil
}

func (i *Instance) start(ctx context.Context) (err error) {
	if i.process, i.ended, err = i.site.launch(i.environment...); err != nil {
		return err
	}
	return awaitReady(ctx, i.Address, i.ended)
}

// Signal sends it a signal.
func (i *Instance) Signal(signal os.Signal) error { return i.process.Process.Signal(signal) }

// AwaitExit waits for its exit and returns the exit code.
func (i *Instance) AwaitExit(ctx context.Context) (code int, err error) {
	select {
	case state := <-i.ended:
		i.process = nil
		return state.ExitCode(), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("the instance does not exit: %w", context.Cause(ctx))
	}
}

// stop ends it by SIGTERM and expects exit code 0.
func (i *Instance) stop(ctx context.Context) error {
	if err := i.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	code, err := i.AwaitExit(ctx)
	if err == nil && code != 0 {
		err = fmt.Errorf("the instance exits with %d", code)
	}
	return err
}

// Close kills it if it runs.
func (i *Instance) Close() error {
	if i.process == nil {
		return nil
	}
	err := i.process.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	<-i.ended
	return err
}

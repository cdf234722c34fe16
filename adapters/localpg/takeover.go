package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// takeOver stops a server that still runs on the data. As we hold the lock, it is an orphan whose Kontor was
// killed. A pid file that is left is stale. If its pid belongs to another program by now, the file is removed,
// because PostgreSQL would take that program for a running server.
func (in instance) takeOver(ctx context.Context) error {
	pidFile := filepath.Join(in.folder.data(), "postmaster.pid")
	pid, err := pidIn(pidFile)
	if err != nil {
		return err
	}
	orphan, err := in.isOrphan(pid)
	if err != nil {
		return fmt.Errorf("is process %d the PostgreSQL of %s? If not, remove %s: %w", pid, in.folder.path, pidFile, err)
	}
	if orphan {
		in.log.Warn("stopping the PostgreSQL that a killed Kontor left running", "pid", pid)
		if err := in.retire(ctx, pid); err != nil {
			return err
		}
	}
	return errors.Join(in.dropStale(pidFile), in.dropStale(filepath.Join(in.socket, socketName+".lock")))
}

// dropStale removes a pid file that names another program. One that names no process is PostgreSQL's own business: it
// also looks for processes that still hold the memory of the dead server.
func (in instance) dropStale(pidFile string) error {
	pid, err := pidIn(pidFile)
	if err != nil || pid == 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return err
	}
	in.log.Warn("removing a stale file of PostgreSQL: its number belongs to another program", "file", pidFile, "pid", pid)
	if err := os.Remove(pidFile); err != nil {
		return fmt.Errorf("remove a stale file of PostgreSQL: %w", err)
	}
	return nil
}

func (in instance) isOrphan(pid int) (bool, error) {
	if pid == 0 {
		return false, nil
	}
	return runsOn(pid, in.folder.data())
}

// pidIn returns the process a pid file names: 0 when there is no file or it names none.
func pidIn(pidFile string) (int, error) {
	text, err := os.ReadFile(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for a PostgreSQL left running: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(first)) // 0 for what is no number
	return max(pid, 0), nil                          // negative: a server for one user, which serves no socket
}

// retire stops a server that is not our child.
func (in instance) retire(ctx context.Context, pid int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		for alive := true; alive; alive, _ = runsOn(pid, in.folder.data()) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
		close(ended)
	}()
	err := shutDown(ctx, func(s syscall.Signal) error { return syscall.Kill(pid, s) }, ended)
	if errors.Is(err, errStoppedWithoutCheckpoint) {
		in.log.Warn("the PostgreSQL left running did not stop in time and was shut down without a checkpoint", "pid", pid)
		return nil // the next start recovers
	}
	if err != nil {
		return fmt.Errorf("stop the PostgreSQL left running as process %d: %w", pid, err)
	}
	return nil
}

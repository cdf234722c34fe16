package localpg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// runsOn reports whether the process is a PostgreSQL on these data. A server's working directory is its data directory, and
// no other program's is; a process that is gone, or only not yet reaped, has none.
func runsOn(pid int, data string) (bool, error) {
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		return false, fmt.Errorf("/proc is needed to identify the process: %w", err)
	}
	theirs, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) || errors.Is(err, fs.ErrPermission) {
		return false, nil // gone, or another user's
	}
	if err != nil {
		return false, err
	}
	ours, err := os.Stat(data)
	if err != nil {
		return false, err
	}
	return os.SameFile(theirs, ours), nil
}

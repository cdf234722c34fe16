//go:build !linux

package localpg

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
)

// runsOn reports whether the process is a PostgreSQL on these data, by the command line that Kontor starts it with.
// A process that is gone has none; one that is only not yet reaped has lost it.
func runsOn(pid int, data string) (bool, error) {
	out, err := exec.Command("/bin/ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	var noSuchProcess *exec.ExitError
	if err != nil && !errors.As(err, &noSuchProcess) {
		return false, err
	}
	return strings.Contains(string(out), "postgres -D "+data+" "), nil
}

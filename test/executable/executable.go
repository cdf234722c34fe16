// Package executable writes programs that tests run.
package executable

import (
	"os"
	"syscall"
)

// Write writes an executable file. Meanwhile no other goroutine starts a process: it would
// inherit the open file, and as long as it has it, the program cannot be run ("text file busy").
func Write(path string, content []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, content, 0o755) // to be executed, by other users too
}

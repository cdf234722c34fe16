// Package memfolder finds a folder in memory for the data of test databases:
// most of a test's time goes into creating and removing their files.
package memfolder

import (
	"os"
	"syscall"
)

// Parent is a folder in memory if there are 2 GB free in it, otherwise the
// folder for temporary files. Programs in it may not be executable.
func Parent() string {
	const memory, wanted = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < wanted {
		return os.TempDir()
	}
	return memory
}

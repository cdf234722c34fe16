// Package memfolder finds a folder in memory for the data of test databases:
// most of a test's time goes into creating and removing their files.
package memfolder

import (
	"os"
	"syscall"
)

const memory = "/dev/shm"

// Parent is a folder in memory if there are 2 GB free in it, otherwise the
// folder for temporary files. Programs in it may not be executable.
func Parent() string {
	const wanted = 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < wanted {
		return os.TempDir()
	}
	return memory
}

// ParentOfPrograms is Parent if programs in it are executable, otherwise the folder
// for temporary files.
func ParentOfPrograms() string {
	const noexec = 0x8 // ST_NOEXEC of statvfs(3)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || fs.Flags&noexec != 0 {
		return os.TempDir()
	}
	return Parent()
}

package pgtest

import (
	"os"
	"syscall"
)

// folderForServers is the parent folder of private servers' data: in memory, if
// there are 2 GB free, since most of a test's time goes into creating and removing
// the files of its database.
func folderForServers() string {
	const memory, wanted = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < wanted {
		return os.TempDir()
	}
	return memory
}

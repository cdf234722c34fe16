package pgtest

import (
	"os"
	"syscall"
)

// folderForServers is where private servers have their data: in memory, if the
// system has room for it there, since most of the time of a test goes into
// making the files of its database and removing them.
func folderForServers() string {
	const memory, room = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return os.TempDir()
	}
	return memory
}

//go:build !linux

package pgtest

import "os"

// folderForServers is where private servers have their data.
func folderForServers() string { return os.TempDir() }

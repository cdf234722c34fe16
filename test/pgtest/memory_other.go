//go:build !linux

package pgtest

import "os"

// folderForServers is the parent folder of private servers' data.
func folderForServers() string { return os.TempDir() }

//go:build !linux

// Package memfolder finds a folder in memory for the data of test databases.
package memfolder

import "os"

// Parent is the folder for temporary files: only Linux is known to have one in
// memory.
func Parent() string { return os.TempDir() }

// ParentOfPrograms is the same.
func ParentOfPrograms() string { return os.TempDir() }

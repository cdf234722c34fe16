package pgtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/test/memfolder"
)

// folderPrefix begins the names of private servers' folders; the process ID
// follows.
const folderPrefix = "kontor-pgtest-"

// startLocal starts a private PostgreSQL in a temporary folder.
func startLocal(ctx context.Context) (server, error) {
	servers := memfolder.Parent()
	if err := sweep(ctx, servers); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest: cannot remove an earlier run's server:", err)
	}
	folder, err := os.MkdirTemp(servers, folderPrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return server{}, fmt.Errorf("make a folder for a private PostgreSQL: %w", err)
	}
	// Started by root, PostgreSQL runs as another user, who needs to enter.
	if err := os.Chmod(folder, 0o711); err != nil {
		return server{}, fmt.Errorf("open the folder of a private PostgreSQL: %w", err)
	}
	local, err := startIn(ctx, folder)
	if err != nil {
		return server{}, errors.Join(fmt.Errorf("start a private PostgreSQL: %w", err), os.RemoveAll(folder))
	}
	return server{
		name: "a private local server",
		url:  local.URL(),
		stop: func(context.Context) error { return errors.Join(local.Stop(), os.RemoveAll(folder)) },
	}, nil
}

func startIn(ctx context.Context, folder string) (*localpg.Server, error) {
	return localpg.Start(ctx, localpg.Options{
		Dir:      filepath.Join(folder, "data"),
		Log:      slog.New(slog.DiscardHandler),
		Settings: settings,
	})
}

// sweep stops the servers of killed test processes and removes their folders. A
// killed process cannot stop its server, which runs in a session of its own; a
// start on such a folder takes the server over.
func sweep(ctx context.Context, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var problems []error
	for _, entry := range entries {
		pid, ours := strings.CutPrefix(entry.Name(), folderPrefix)
		pid, _, _ = strings.Cut(pid, "-")
		if !ours || alive(pid) {
			continue
		}
		left := filepath.Join(folder, entry.Name())
		local, err := startIn(ctx, left)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", left, err))
			continue
		}
		problems = append(problems, local.Stop(), os.RemoveAll(left))
	}
	return errors.Join(problems...)
}

// alive reports whether a process with that ID exists. What is not a number
// counts as alive, so that its folder is kept.
func alive(pid string) bool {
	number, err := strconv.Atoi(pid)
	if err != nil {
		return true
	}
	process, err := os.FindProcess(number)
	if err != nil {
		return false
	}
	return !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

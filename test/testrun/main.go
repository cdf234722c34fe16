// Command testrun runs a command, such as go test, with what its test processes
// share: a PostgreSQL server with a migrated template database (test/pgtest), the
// built program (test/testprogram), and a folder in memory for temporary files. They
// are gone when it exits, with the command's exit code.
//
//	go run ./test/testrun go test ./...
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/kontor-crm/kontor/test/memfolder"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: testrun <command> [argument...]")
		os.Exit(2)
	}
	// The terminal sends an interrupt to the command as well: wait for it, then
	// stop the server.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(ctx context.Context, command []string) (code int, err error) {
	shared, err := pgtest.Share(ctx)
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, shared.Close()) }()
	folder, err := os.MkdirTemp(memfolder.ParentOfPrograms(), "kontor-test-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	// The tests' servers, which do not run as root, need to enter.
	if err := os.Chmod(folder, 0o711); err != nil {
		return 1, err
	}
	program, err := testprogram.Build(ctx, folder)
	if err != nil {
		return 1, err
	}
	temporary := filepath.Join(folder, "tmp")
	if err := errors.Join(os.Mkdir(temporary, 0o700), os.Chmod(temporary, os.ModeSticky|0o777)); err != nil {
		return 1, err
	}
	environment := append(shared.Environment(), testprogram.Env+"="+program, "TMPDIR="+temporary,
		"GOTMPDIR="+cmp.Or(os.Getenv("GOTMPDIR"), os.TempDir())) // what the compiler writes is too large
	return execute(ctx, environment, command)
}

// execute runs the command and returns its exit code.
func execute(ctx context.Context, environment, command []string) (int, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return max(failed.ExitCode(), 1), nil
	}
	return 0, err
}

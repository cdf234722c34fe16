// Package testprogram builds the program for tests that run it as a process: once
// for each test process, or once for all of them under test/testrun.
package testprogram

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// Env is the variable with the path of a built program, which test/testrun sets.
const Env = "KONTOR_TEST_PROGRAM"

var process struct {
	running atomic.Bool
	once    sync.Once
	folder  string // of the program, if it was built here
	path    string
	err     error
}

// Run runs a package's tests as pgtest.Run does and then removes the program. It
// returns the exit code.
func Run(m *testing.M) int {
	process.running.Store(true)
	code := pgtest.Run(m)
	process.once.Do(func() { process.err = errors.New("the tests are over") })
	if process.folder != "" {
		_ = os.RemoveAll(process.folder)
	}
	return code
}

// Path returns the path of the program, whose base name is kontor.
func Path(t testing.TB) string {
	t.Helper()
	if !process.running.Load() {
		t.Fatal("testprogram: this package needs func TestMain(m *testing.M) { os.Exit(testprogram.Run(m)) }")
	}
	process.once.Do(func() { process.path, process.err = find() })
	if process.err != nil {
		t.Fatalf("testprogram: %v", process.err)
	}
	return process.path
}

func find() (string, error) {
	if path := os.Getenv(Env); path != "" {
		return path, nil
	}
	folder, err := os.MkdirTemp("", "kontor-test-")
	if err != nil {
		return "", err
	}
	process.folder = folder
	return Build(context.Background(), folder)
}

// The program is built as that of a release, with made-up values.
const (
	Version = "v1.2.3"
	Commit  = "abc"
	Date    = "2026-11-21T18:00:00Z"
)

// Build builds the program into the folder and returns its path.
func Build(ctx context.Context, folder string) (string, error) {
	const at = "-X github.com/kontor-crm/kontor/cmd/bootstrap."
	path := filepath.Join(folder, "kontor")
	out, err := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", path,
		"-ldflags", "-w "+at+"version="+Version+" "+at+"commit="+Commit+" "+at+"date="+Date, "github.com/kontor-crm/kontor/cmd/kontor").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
}

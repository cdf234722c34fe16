//go:build full

package packaging

import (
	"debug/elf"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const largest = 50_000_000 // bytes of the program

// programVersion returns the version that a program prints.
func programVersion(t *testing.T, file string) (version struct{ Version, Commit, Date, Go string }) {
	t.Helper()
	if err := json.Unmarshal([]byte(command(t, nil, file, "version", "--output", "json")), &version); err != nil {
		t.Fatal(err)
	}
	return version
}

func TestProgramIsSmallStaticFileWithVersion(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kontor")
	command(t, []string{"VERSION=v9.8.7", "COMMIT=c0ffee", "DATE=2026-01-02T03:04:05Z", "GOOS=", "GOARCH="}, ".ci/build", file)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > largest {
		t.Errorf("the program has %d bytes, more than %d", info.Size(), largest)
	}
	got := programVersion(t, file)
	commit := strings.TrimSuffix(got.Commit, "+changes")
	if got.Version != "v9.8.7" || commit != "c0ffee" || got.Date != "2026-01-02T03:04:05Z" || got.Go != runtime.Version() {
		t.Errorf("the program has the version %v", got)
	}
	if runtime.GOOS == "linux" {
		assertStatic(t, file)
	}
}

// assertStatic checks that the program loads no library.
func assertStatic(t *testing.T, file string) {
	t.Helper()
	program, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("%s is not static: it has a segment of type %s", file, p.Type)
		}
	}
}

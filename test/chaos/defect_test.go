package chaos_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// defect is a change of the program that a test with the build tag full must
// detect.
type defect struct{ file, from, to string }

var (
	noDeadlockRetry = defect{"adapters/postgres/transaction.go", "const maxAttempts = 5", "const maxAttempts = 1"}
	noMemoryBudget  = defect{"ports/membudget/membudget.go", "Max = 64 << 20", "Max = 64 << 40"}
)

// source returns the path of the file and its changed text.
func (s defect) source(t *testing.T) (path, changed string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", s.file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), s.from) != 1 {
		t.Fatalf("%s does not contain %q exactly once", s.file, s.from)
	}
	return path, strings.Replace(string(text), s.from, s.to, 1)
}

func TestDefectsMatchTheirSource(t *testing.T) {
	for _, s := range []defect{noDeadlockRetry, noMemoryBudget} {
		s.source(t)
	}
}

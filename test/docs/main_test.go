package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "kontor-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs = folder
	code := pgtest.Run(m)
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// programs is the folder that the program is built into, once.
var programs string

var build = sync.OnceValues(func() (string, error) {
	program := filepath.Join(programs, "kontor")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, root+"/cmd/kontor").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return program, nil
})

// built is the path of the program.
func built(t *testing.T) string {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

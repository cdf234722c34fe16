//go:build full

package chaos_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/kontor-crm/kontor/test/chaos"
	"github.com/kontor-crm/kontor/test/testprogram"
)

func build(file string, arguments ...string) error {
	out, err := exec.Command("go", append([]string{"build", "-o", file}, arguments...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// toxiproxyFolder outlives the test that builds toxiproxy first.
var toxiproxyFolder string

var buildToxiproxy = sync.OnceValues(func() (string, error) {
	file := filepath.Join(toxiproxyFolder, "toxiproxy")
	return file, build(file, "-modfile=../../.ci/toxiproxy.mod", "github.com/Shopify/toxiproxy/v2/cmd/server")
})

func TestMain(m *testing.M) {
	var err error
	if toxiproxyFolder, err = os.MkdirTemp("", "kontor-chaos-"); err != nil {
		panic(err)
	}
	code := testprogram.Run(m)
	_ = os.RemoveAll(toxiproxyFolder)
	os.Exit(code)
}

// toxiproxy returns the program file of toxiproxy.
func toxiproxy(t *testing.T) string {
	t.Helper()
	file, err := buildToxiproxy()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// open opens a site with a PostgreSQL of its own.
func open(t *testing.T, settings map[string]string) *chaos.Site {
	t.Helper()
	return openProgram(t, testprogram.Path(t), settings)
}

func openProgram(t *testing.T, program string, settings map[string]string) *chaos.Site {
	t.Helper()
	// Not t.TempDir: started by root, PostgreSQL runs as another user, who needs to
	// enter.
	folder, err := os.MkdirTemp("", "kontor-chaos-data-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o711); err != nil {
		t.Fatal(err)
	}
	s, err := chaos.Open(t.Context(), program, filepath.Join(folder, "data"), settings)
	return closeAtEnd(t, s, err)
}

// buildBroken builds the program with the change.
func buildBroken(t *testing.T, s defect) string {
	t.Helper()
	source, changed := s.source(t)
	folder := t.TempDir()
	broken, overlay, built := filepath.Join(folder, "broken.go"), filepath.Join(folder, "overlay.json"), filepath.Join(folder, "kontor")
	for name, text := range map[string]string{
		broken:  changed,
		overlay: `{"Replace": {"` + source + `": "` + broken + `"}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := build(built, "-buildvcs=false", "-overlay="+overlay, "../../cmd/kontor"); err != nil {
		t.Fatal(err)
	}
	return built
}

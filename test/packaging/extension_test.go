package packaging

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../"

// text returns the content of a file of the repository.
func text(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// A module of a team, which imports Kontor. `make verify` compares its go.mod.
const extension = root + "test/extension"

func TestExtensionFilesAreShort(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(extension + "/*.go")
	if err != nil || len(files) != 9 {
		t.Fatalf("found %q (%v), want main.go, three rules and a reaction, each with its test", files, err)
	}
	for _, file := range files {
		most := 30
		switch {
		case strings.HasSuffix(file, "_test.go"):
			most = 40
		case filepath.Base(file) == "main.go":
			most = 15
		}
		if lines := strings.Count(text(t, strings.TrimPrefix(file, root)), "\n"); lines > most {
			t.Errorf("%s has %d lines, want at most %d", file, lines, most)
		}
	}
}

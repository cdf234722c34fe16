package chaos_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sabotaged builds the program with other words in one of its files.
func sabotaged(t *testing.T, file string, oldnew ...string) string {
	t.Helper()
	source, err := filepath.Abs(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(oldnew); n += 2 {
		if strings.Count(string(text), oldnew[n]) != 1 {
			t.Fatalf("%s has no %q to break", file, oldnew[n])
		}
	}
	folder := t.TempDir()
	broken, overlay, built := filepath.Join(folder, "broken.go"), filepath.Join(folder, "overlay.json"), filepath.Join(folder, "kontor")
	for name, text := range map[string]string{
		broken:  strings.NewReplacer(oldnew...).Replace(string(text)),
		overlay: `{"Replace": {"` + source + `": "` + broken + `"}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build(built, "-buildvcs=false", "-overlay="+overlay, "../../cmd/kontor")
	return built
}

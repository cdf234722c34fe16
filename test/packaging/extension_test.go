package packaging

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/test/testprogram"
)

func TestMain(m *testing.M) { os.Exit(testprogram.Run(m)) }

// A module of a team, which imports Kontor. `make verify` compares its go.mod.
const extension = root + "test/extension"

// The module needs no other modules than Kontor, which are downloaded already.
var offline = []string{"GOPROXY=off"}

func TestExtensionPassesItsTests(t *testing.T) {
	t.Parallel()
	if printed := command(t, offline, "go", "test", "-C", "test/extension", "./..."); !strings.HasPrefix(printed, "ok") {
		t.Errorf("go test prints %s", printed)
	}
}

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

// contract 1.90
func TestRuleSkeletonsCompileAndPass(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	kontor := testprogram.Path(t)
	for _, resource := range ruledef.Resources {
		command(t, nil, kontor, "rule", "new", "--dir", folder, "--on", resource, resource+"-rule_windows")
		command(t, nil, kontor, "rule", "new", "--dir", folder, "--on", resource, "--reaction", resource+"_reaction_test")
	}
	module := strings.ReplaceAll(text(t, "test/extension/go.mod"), "../..", absolute(t, root))
	for name, content := range map[string]string{
		"go.mod": module, "go.sum": text(t, "test/extension/go.sum"), "main.go": "package main\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if unformatted := command(t, nil, "gofmt", "-l", folder); unformatted != "" {
		t.Errorf("not formatted: %s", unformatted)
	}
	passed := command(t, offline, "go", "test", "-C", folder, "-v", ".")
	if got, want := strings.Count(passed, "\n--- PASS"), 2*len(ruledef.Resources); got != want {
		t.Errorf("%d tests pass, want %d\n%s", got, want, passed)
	}
}

func absolute(t *testing.T, folder string) string {
	t.Helper()
	path, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

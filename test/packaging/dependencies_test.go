package packaging

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	dependencyRow = regexp.MustCompile("(?m)^\\| (`.*`) \\| (program|tests) \\| (.+) \\|$")
	moduleName    = regexp.MustCompile("`([^`]+)`")
)

// Each direct dependency has a row in CONTRIBUTING.md with its purpose and whether
// it is part of the program.
func TestDependenciesHaveReasons(t *testing.T) {
	documented := map[string]string{}
	for _, row := range dependencyRow.FindAllStringSubmatch(text(t, "CONTRIBUTING.md"), -1) {
		for _, name := range moduleName.FindAllStringSubmatch(row[1], -1) {
			documented[name[1]] = row[2]
		}
	}
	built := map[string]bool{}
	for path := range strings.FieldsSeq(command(t, nil, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./cmd/kontor")) {
		built[path] = true
	}
	var module struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal([]byte(command(t, nil, "go", "mod", "edit", "-json")), &module); err != nil {
		t.Fatal(err)
	}
	for _, r := range module.Require {
		if r.Indirect {
			continue
		}
		want := "tests"
		if built[r.Path] {
			want = "program"
		}
		if documented[r.Path] != want {
			t.Errorf("%s is in the %s; the table of dependencies says %q", r.Path, want, documented[r.Path])
		}
		delete(documented, r.Path)
	}
	for path := range documented {
		t.Errorf("%s has a row in the table of dependencies but is not in go.mod", path)
	}
}

// command runs a command in the repository and returns its output.
func command(t *testing.T, environment []string, name string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir = root
	command.Env = append(os.Environ(), environment...)
	var errors strings.Builder
	command.Stderr = &errors
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(arguments, " "), err, out, errors.String())
	}
	return string(out)
}

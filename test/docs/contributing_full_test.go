//go:build full

package docs

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

var diffs = regexp.MustCompile("(?s)```diff\n(.*?)```")

func TestContributingRecipesMakeAProgram(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	run(t, root, "bash", "-c", `git ls-files -co --exclude-standard | tar --create --files-from=- | tar --extract --directory="$1"`, "-", source)
	for _, diff := range recipeDiffs(t) {
		apply := exec.CommandContext(t.Context(), "git", "apply")
		apply.Dir, apply.Stdin = source, strings.NewReader(diff)
		if out, err := apply.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, diff)
		}
	}
	run(t, source, "go", "tool", "-modfile=.ci/tools.mod", "wire", "./cmd/bootstrap")
	program := filepath.Join(source, "kontor")
	run(t, source, "go", "build", "-o", program, "./cmd/kontor")

	database := "KONTOR_DATABASE_URL=" + pgtest.EmptyURL(t)
	run(t, source, "env", database, program, "migrate", "up")
	run(t, source, "env", database, program, "user", "add", "--username", "admin", "--role", "admin")
	token, _, _ := strings.Cut(run(t, source, "env", database, program, "token", "issue", "--user", "admin"), "\n")
	serve := exec.CommandContext(t.Context(), program, "serve", "--log-format", "json", "--listen", rest.Free(t))
	serve.Env = append(os.Environ(), database)
	address, _ := testprogram.Serve(t, serve)
	t.Cleanup(func() { _ = serve.Wait() })

	client := rest.Client{URL: address + "/rest", Token: token}
	send := func(method, path, body, want string) {
		t.Helper()
		got, err := client.Send(t.Context(), method, path, body)
		if err != nil || !strings.Contains(string(got.Body), want) {
			t.Errorf("%s %s: %v %s, want %s", method, path, err, got, want)
		}
	}
	send(http.MethodPost, "/client", `{"name":"Seeblick","type":1,"tax_id":" DE 12 "}`, `"tax_id":"DE 12"`)
	send(http.MethodPost, "/client", `{"name":"Seeblick","type":1,"tax_id":"`+strings.Repeat("1", 256)+`"}`, "tax_id must have at most 255")
	send(http.MethodGet, "/client?sort=tax_id&fields=tax_id", "", `"items":[{"tax_id":"DE 12"}]`)
	send(http.MethodPut, "/warehouse?ref=n", `{"name":"North","email":"north@example.org"}`, `"name":"North"`)
	send(http.MethodPut, "/warehouse?ref=n", `{"name":"South"}`, `"email":"north@example.org"`)
	send(http.MethodPost, "/warehouse", `{"address":"Kiel"}`, "name is required")
	send(http.MethodGet, "/warehouse?sort=-email&fields=name", "", `"items":[{"name":"South"}]`)
	send(http.MethodDelete, "/warehouse/1", "", `"id":1`)
}

// recipeDiffs are the diffs of the recipes, of CONTRIBUTING and of its resource.
func recipeDiffs(t *testing.T) (all []string) {
	t.Helper()
	for _, block := range diffs.FindAllStringSubmatch(read(t, "CONTRIBUTING.md"), -1) {
		all = append(all, block[1])
	}
	if len(all) != 1 {
		t.Errorf("CONTRIBUTING has %d diffs, want that of a field", len(all))
	}
	return append(all, read(t, "docs/contributing/resource.diff"))
}

func read(t *testing.T, page string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// run returns what a command prints.
func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = folder
	var problems strings.Builder
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, &problems)
	}
	return string(out)
}

//go:build full

package openapi_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/docs"
)

// installLinter installs the linter of package-lock.json in a folder.
func installLinter(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "redocly.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, folder, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	return folder
}

// run is the output of the command, whatever its exit code.
func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = folder
	// No telemetry and no check for updates.
	command.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NPM_CONFIG_UPDATE_NOTIFIER=false")
	var problems strings.Builder
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil && (command.ProcessState == nil || len(out) == 0) {
		t.Fatalf("%s: %v\n%s", command, err, problems.String())
	}
	return string(out)
}

// lint returns the errors and warnings of the linter.
func lint(t *testing.T, folder string, document []byte) (all []string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, "openapi.json"), document, 0o600); err != nil {
		t.Fatal(err)
	}
	out := run(t, folder, filepath.Join("node_modules", ".bin", "redocly"), "lint", "--format=json", "--max-problems=1000", "openapi.json")
	var report struct {
		Totals   *struct{ Errors, Warnings, Ignored int }
		Problems []struct {
			RuleID   string
			Message  string
			Location []struct{ Pointer string }
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || report.Totals == nil {
		t.Fatalf("the linter has no report: %v\n%s", err, out)
	}
	for _, p := range report.Problems {
		where := ""
		if len(p.Location) > 0 {
			where = p.Location[0].Pointer
		}
		all = append(all, p.RuleID+": "+p.Message+" "+where)
	}
	if n := report.Totals.Errors + report.Totals.Warnings + report.Totals.Ignored; n != len(all) {
		t.Errorf("%d problems are counted, but %d reported", n, len(all))
	}
	return all
}

func TestDocumentPassesThePublicLinter(t *testing.T) {
	folder := installLinter(t)
	for _, problem := range append(lint(t, folder, docs.OpenAPI), lint(t, folder, docs.OpenAPICodegen)...) {
		t.Error(problem)
	}
	const tagClient = "\"name\": \"client\",\n      \"description\":"
	for what, broken := range map[string]string{
		"no-unresolved-refs":    strings.Replace(string(docs.OpenAPI), `"$ref": "#/components/schemas/Client"`, `"$ref": "#/components/schemas/Customer"`, 1),
		"tag-description":       strings.Replace(string(docs.OpenAPI), tagClient, strings.Replace(tagClient, "description", "x-words", 1), 1),
		"operation-operationId": strings.Replace(string(docs.OpenAPI), `"operationId": "listClients",`, ``, 1),
	} {
		if found := strings.Join(lint(t, folder, []byte(broken)), "\n"); !strings.Contains(found, what) {
			t.Errorf("a violation of %s is reported as\n%s", what, found)
		}
	}
}

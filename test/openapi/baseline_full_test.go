//go:build full

package openapi_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kontor-crm/kontor/docs"
)

var release = flag.Bool("release", false, "make the documents the new baselines: only when there is a release")

// Warnings count as breaking changes too: a removed parameter is one.
func TestBaselineIsCompatibleWithTheDocument(t *testing.T) {
	t.Parallel()
	for baseline, document := range map[string][]byte{"baseline.json": docs.OpenAPI, "baseline-codegen.json": docs.OpenAPICodegen} {
		if *release {
			if err := os.WriteFile(baseline, document, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		revision := filepath.Join(t.TempDir(), "revision.json")
		if err := os.WriteFile(revision, document, 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), "go", "tool", "-modfile="+filepath.Join("..", "..", ".ci", "oasdiff.mod"), "oasdiff",
			"breaking", "--fail-on", "WARN", "--severity-levels", "severities.txt", "--format", "singleline", baseline, revision)
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("the document breaks clients of the last release, %s: %v\n%s", baseline, err, out)
		}
	}
}

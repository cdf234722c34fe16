//go:build full

package compatibility

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/docs"
)

// Warnings count as breaking changes too: a removed parameter is one.
func TestDocumentBreaksNoClientOfTheLastRelease(t *testing.T) {
	t.Parallel()
	names := announcements(t)
	for file, document := range map[string][]byte{"openapi.json": docs.OpenAPI, "openapi-codegen.json": docs.OpenAPICodegen} {
		baseline, revision := filepath.Join("baseline", file), filepath.Join(t.TempDir(), "revision.json")
		write(t, revision, string(document))
		command := exec.CommandContext(t.Context(), "go", "tool", "-modfile="+filepath.Join(root, ".ci", "oasdiff.mod"), "oasdiff",
			"breaking", "--fail-on", "WARN", "--severity-levels", "severities.txt", "--format", "singleline", baseline, revision)
		out, err := command.CombinedOutput()
		var found []string
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "[") && !isAnnounced(names, line) {
				found = append(found, line)
			}
		}
		if len(found) > 0 || err != nil && !strings.Contains(string(out), "[") {
			t.Errorf("the document breaks clients of the last release, %s: %v\n%s", baseline, err, strings.Join(found, ""))
		}
	}
}

var (
	operationOf  = regexp.MustCompile(`API ([A-Z]+ \S+)`)
	attributesOf = regexp.MustCompile("[`'/](\\w+)[`']")
)

// isAnnounced reports whether the names contain the operation of a finding, or an attribute or parameter in it.
func isAnnounced(names []string, finding string) bool {
	found := map[string]bool{}
	for _, part := range append(operationOf.FindAllStringSubmatch(finding, -1), attributesOf.FindAllStringSubmatch(finding, -1)...) {
		found[part[1]] = true
	}
	for _, name := range names {
		_, attribute, isAttribute := strings.Cut(name, ".")
		_, filter, isFilter := strings.Cut(name, "?")
		if found[name] || isAttribute && found[attribute] || isFilter && found[filter] {
			return true
		}
	}
	return false
}

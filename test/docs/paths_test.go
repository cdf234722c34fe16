package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// namedPath is a file or folder of the project in backquotes.
var namedPath = regexp.MustCompile("`((?:adapters|application|cmd|domain|ports|migrations|test|docs|deploy|\\.ci)/[^`\\s]*)`")

// The recipes name the files that a change touches: they must not outlive these.
func TestPathsOnContributingPagesExist(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"CONTRIBUTING.md", "README.md", "docs/contributing/glossary.md"} {
		found := namedPath.FindAllStringSubmatch(fenced.ReplaceAllString(contents(t, page), ""), -1)
		if page != "README.md" && len(found) == 0 {
			t.Errorf("%s names no path", page)
		}
		for _, match := range found {
			if _, err := os.Stat(filepath.Join(root, strings.TrimSuffix(match[1], "/..."))); err != nil {
				t.Errorf("%s names %s, which does not exist", page, match[1])
			}
		}
	}
}

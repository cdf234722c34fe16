package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	fenced  = regexp.MustCompile("(?ms)^ *```.*?\n *```$")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+?) *$`)
)

func TestLinksBetweenPagesHaveTargets(t *testing.T) {
	t.Parallel()
	for _, page := range markdown(t) {
		for _, target := range links(contents(t, page)) {
			if strings.Contains(target, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			at := page
			if file != "" {
				at = path.Join(path.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join(root, at)); err != nil {
				t.Errorf("%s: %s has no target", page, target)
				continue
			}
			if anchor != "" && !anchors(contents(t, at))[anchor] {
				t.Errorf("%s: %s has no such heading", page, target)
			}
		}
	}
}

func TestPagesAreLinkedFromReadme(t *testing.T) {
	t.Parallel()
	reached := map[string]bool{}
	for open := []string{"README.md"}; len(open) > 0; open = open[1:] {
		page := open[0]
		if reached[page] || path.Ext(page) != ".md" {
			continue
		}
		reached[page] = true
		for _, target := range links(contents(t, page)) {
			file, _, _ := strings.Cut(target, "#")
			if file != "" && !strings.Contains(target, "://") {
				open = append(open, path.Join(path.Dir(page), file))
			}
		}
	}
	for _, page := range markdown(t) {
		if !reached[page] {
			t.Errorf("no link to %s", page)
		}
	}
}

// markdown returns the paths of all pages.
func markdown(t *testing.T) (found []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/contributing/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			found = append(found, strings.TrimPrefix(filepath.ToSlash(file), root+"/"))
		}
	}
	if len(found) < len(pages) {
		t.Fatalf("found only %d pages: %q", len(found), found)
	}
	return found
}

func contents(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// links returns the targets of a page's links outside of code blocks.
func links(text string) (targets []string) {
	for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		targets = append(targets, found[1])
	}
	return targets
}

// anchors returns the anchors of the headings of a page.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		found[anchor(h[1])] = true
	}
	return found
}

// anchor has small letters, digits, and hyphens for spaces.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	runPattern   = regexp.MustCompile(`-(?:run|skip) '?([^' ]+)'?`)
	packageName  = regexp.MustCompile(` \./([a-z/]+?)(/\.\.\.)?(?:[\s'"]|$)`)
	testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// go test passes if a pattern matches no test.
func TestPatternsOfGoTestMatchTests(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{} // by folder
	walk(t, func(file string) {
		if strings.HasSuffix(file, "_test.go") {
			for _, found := range testFunction.FindAllStringSubmatch(read(t, file), -1) {
				tests[filepath.Dir(file)] = append(tests[filepath.Dir(file)], found[1])
			}
		}
	})
	found := 0
	for _, file := range []string{"Makefile", ".ci/run", ".ci/full", "CONTRIBUTING.md"} {
		for line := range strings.Lines(read(t, file)) {
			option, folder := runPattern.FindStringSubmatch(line), packageName.FindStringSubmatch(line)
			if option == nil || folder == nil || option[1] == "^$" {
				continue
			}
			found++
			pattern := regexp.MustCompile("(?m)" + strings.ReplaceAll(option[1], "$$", "$"))
			matches := false
			for in, names := range tests {
				if in == folder[1] || folder[2] != "" && strings.HasPrefix(in, folder[1]+"/") {
					matches = matches || pattern.MatchString(strings.Join(names, "\n"))
				}
			}
			if !matches {
				t.Errorf("%s: no test in %s matches %s", file, folder[1], pattern)
			}
		}
	}
	if found < 5 {
		t.Errorf("found only %d patterns", found)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

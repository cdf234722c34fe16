package architecture

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// runOption matches `go test` in a script or a page: its -run pattern and its
// packages, in either order.
var runOption = regexp.MustCompile(`-run '?([^' ]+)'?`)

var packageArgument = regexp.MustCompile(` \./([a-z/]+)(/\.\.\.)?`)

// CheckRunPatterns complains of each -run pattern that matches no test in a package
// of its line: go test passes then. texts maps the names of files to their contents.
func CheckRunPatterns(tree Tree, texts map[string]string) ([]string, error) {
	var complaints []string
	for name, text := range texts {
		for i, line := range strings.Split(text, "\n") {
			option := runOption.FindStringSubmatch(line)
			if len(option) == 0 || option[1] == "^$" {
				continue
			}
			pattern, err := regexp.Compile(strings.ReplaceAll(option[1], "$$", "$"))
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
			for _, argument := range packageArgument.FindAllStringSubmatch(line, -1) {
				if !tree.hasTest(strings.TrimSuffix(argument[1], "/"), pattern) {
					complaints = append(complaints, fmt.Sprintf("%s:%d: no test in %s matches %s", name, i+1, argument[1], pattern))
				}
			}
		}
	}
	slices.Sort(complaints)
	return complaints, nil
}

func (t Tree) hasTest(folder string, pattern *regexp.Regexp) bool {
	for _, file := range t.Files {
		if !file.IsTest() || !within(file.Folder(), folder) {
			continue
		}
		for _, function := range file.functions() {
			if strings.HasPrefix(function.Name.Name, "Test") && pattern.MatchString(function.Name.Name) {
				return true
			}
		}
	}
	return false
}

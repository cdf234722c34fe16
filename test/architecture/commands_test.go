package architecture

import (
	"io/fs"
	"testing"
)

func TestRunPatternsMatchTests(t *testing.T) {
	texts := map[string]string{}
	for _, name := range []string{"Makefile", ".ci/run", ".ci/full", "CONTRIBUTING.md"} {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	complaints, err := CheckRunPatterns(readModule(t), texts)
	if err != nil {
		t.Fatal(err)
	}
	report(t, complaints)
}

func TestCheckRunPatternsFindsPatternWithoutTest(t *testing.T) {
	tree := tree(t, "a/b/b_test.go", "package b\n\nfunc TestLamp(t *testing.T) {}\nfunc help() {}\n")
	got, err := CheckRunPatterns(tree, map[string]string{
		"Makefile": "\tgo test -run 'Lamp$$' ./a/b\n\tgo test -run 'Lamps' ./a/b\n\tgo test -run '^$' -fuzz x ./a/b\n",
		"README":   "go test ./a/b -run help -release\ngo test ./a/... -run Lamp\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, []string{"Makefile:2: no test in a/b matches Lamps", "README:1: no test in a/b matches help"})
}

package architecture

import (
	"testing"
	"testing/fstest"
)

func TestRemovedWordsAreGone(t *testing.T) {
	complaints, err := CheckWords(root, removedWords, "test/architecture/words_list.go")
	if err != nil {
		t.Fatal(err)
	}
	report(t, complaints)
}

func TestTestNamesBeginWithTheirSubject(t *testing.T) {
	report(t, CheckTestNames(readModule(t), vagueTestWords, vagueTestFolders))
}

func TestCheckWordsFindsEveryOccurrence(t *testing.T) {
	files := fstest.MapFS{
		"a/a.go":             {Data: []byte("package a\n\n// The Gizmos of\n// old are gone.\nvar nextGizmo, GIZMOCount, last_gizmo int\n")},
		"a/gizmo.go":         {Data: []byte("package a\n")},
		"b.md":               {Data: []byte("Gizmology is fine.\n\n> All things\n> considered, yes.\n")},
		"c/generated.md":     {Data: []byte("gizmo\n")},
		"d/d.md":             {Data: []byte("nothing\n")},
		"list.go":            {Data: []byte("gizmo\n")},
		"a/testdata/x.md":    {Data: []byte("gizmo\n")},
		".git/x.md":          {Data: []byte("gizmo\n")},
		"a/data.csv":         {Data: []byte("gizmo\n")},
		".ci/run":            {Data: []byte("# gizmo\n")},
		"Makefile":           {Data: []byte("gizmo:\n")},
		"migrations/001.sql": {Data: []byte("create table gizmo_parts ();\n")},
	}
	words := []RemovedWord{
		{Pattern: `gizmos?`, Use: "device", Except: map[string]string{"c/": "generated", "d/d.md": "", "e.md": "gone"}},
		{Pattern: `all things considered`, Use: "nothing"},
	}
	got, err := CheckWords(files, words, "list.go")
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, []string{
		`.ci/run:1: "gizmo": use device`,
		`Makefile:1: "gizmo": use device`,
		`a/a.go:3: "Gizmos": use device`,
		`a/a.go:5: "Gizmo": use device`,
		`a/gizmo.go:1: "gizmo": use device`,
		`b.md:3: "All things considered": use nothing`,
		`migrations/001.sql:1: "gizmo": use device`,
		`d/d.md: is an exception for "gizmos?" but does not contain it`,
		`d/d.md: is an exception for "gizmos?" without a reason`,
		`e.md: is an exception for "gizmos?" but does not contain it`,
	})
}

func TestCheckTestNamesFindsVagueBeginnings(t *testing.T) {
	tree := tree(t,
		"a/a_test.go", "package a\n\nfunc TestTheLamp(t *testing.T) {}\nfunc TestA(t *testing.T) {}\nfunc TestThermometer(t *testing.T) {}\nfunc FuzzAThing(f *testing.F) {}\n",
		"a/a.go", "package a\n\nfunc TestThePower() {}\n",
		"b/b_test.go", "package b\n\nfunc TestTheLamp(t *testing.T) {}\n",
	)
	same(t, CheckTestNames(tree, []string{"The", "A"}, []string{"b"}), []string{
		"a/a_test.go:3: TestTheLamp does not begin with the tested subject",
		"a/a_test.go:4: TestA does not begin with the tested subject",
		"a/a_test.go:6: FuzzAThing does not begin with the tested subject",
	})
}

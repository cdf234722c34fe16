package main

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestClausesHaveTests(t *testing.T) {
	order, _, faults, err := trace(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(order) < 100 {
		t.Errorf("found only %d clauses: not the contract?", len(order))
	}
	for _, fault := range faults {
		t.Error(fault)
	}
}

func TestTraceFindsMissingAndWrongCitations(t *testing.T) {
	order, tests, faults, err := trace(fstest.MapFS{
		page: {Data: []byte("Not kept yet: dimming (1.4).\n\n**1.1** Light.\n\n| **1.2** | red |\n\n**1.4** Dim.\n\n**2.1a** A switch.\n")},
		"a/b/a_test.go": {Data: []byte(`package b

// It shines. contract 1.1,
// 2.1a
func TestLight(t *testing.T) {
	t.Run("contract 1.1, by day", day)
} // contract 1.3

// contract 1.1 to 2.1a
func FuzzLight(f *testing.F) {}

// contract 1.1
func helper() {}
`)},
		"a/b/a.go": {Data: []byte("package b // contract 1.9\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []any{order, tests["1.1"], tests["2.1a"], faults}
	if diff := cmp.Diff([]any{
		[]string{"1.1", "1.2", "2.1a"},
		[]string{"b.TestLight", "b.FuzzLight"},
		[]string{"b.TestLight"},
		[]string{
			"a/b/a_test.go:7: the contract has no clause 1.3",
			"a/b/a_test.go:9: a range of clauses: name each",
			"a/b/a_test.go:12: a citation outside of a test",
			"1.2: no test cites it",
		},
	}, got); diff != "" {
		t.Error(diff)
	}
}

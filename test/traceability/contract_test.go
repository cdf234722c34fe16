package traceability

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/kontor-crm/kontor/test/architecture"
)

// root is the module's root, relative to this package.
const root = "../.."

var update = flag.Bool("update", false, "write docs/clauses.md")

func readProject(t *testing.T) (Contract, []Citation) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	contract := contractOf(t, string(text))
	if len(contract.Sections) < 2 {
		t.Fatalf("found only %d sections: not the contract?", len(contract.Sections))
	}
	tree, err := architecture.ReadTree("github.com/kontor-crm/kontor", os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	return contract, ReadCitations(tree)
}

func TestClausesHaveTests(t *testing.T) {
	for _, complaint := range Check(readProject(t)) {
		t.Error(complaint)
	}
}

func TestClausesTableIsUpToDate(t *testing.T) {
	name := filepath.Join(root, "docs", "clauses.md")
	want := Table(readProject(t))
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/clauses.md is out of date: run make docs")
	}
}

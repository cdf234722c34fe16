package plans_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/plans"
)

var update = flag.Bool("update", false, "write the table into docs/performance.md")

func TestTheTableOfClassesIsUpToDate(t *testing.T) {
	const name, begin, end = "../../docs/performance.md", "<!-- classes: written by make docs -->\n", "<!-- end of classes -->"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, opened := strings.Cut(string(text), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no place for the table", name)
	}
	want := head + begin + "\n" + plans.Markdown() + "\n" + end + tail
	if *update && want != string(text) {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Error("the table of classes is out of date: make docs writes it anew")
	}
}

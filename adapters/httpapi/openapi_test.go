package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write docs/openapi.json")

// The copy in the repository shows in a review what a change does to the
// interface.
func TestTheDocumentInDocsIsUpToDate(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "openapi.json")
	var want bytes.Buffer
	if err := json.Indent(&want, Document(), "", "  "); err != nil {
		t.Fatal(err)
	}
	want.WriteByte('\n')
	if *update {
		if err := os.WriteFile(name, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("docs/openapi.json is out of date: make docs writes it anew")
	}
}

// A document that is another one each time could not be compared.
func TestTheDocumentIsAlwaysTheSame(t *testing.T) {
	first := Document()
	for range 5 {
		if !bytes.Equal(Document(), first) {
			t.Fatal("the document has changed")
		}
	}
}

package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/openapi"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/docs"
)

var update = flag.Bool("update", false, "rewrite docs/openapi.json and docs/openapi-codegen.json")

// The service embeds the files.
//
// contract 1.53
func TestDocumentsInDocsAreUpToDate(t *testing.T) {
	operations := httpapi.Operations(bootstrap.Resources(nil, nil, bootstrap.Commands{}, nil))
	for name, generate := range map[string]func([]apidoc.Operation) ([]byte, error){
		"openapi.json": openapi.JSON, "openapi-codegen.json": openapi.CodegenJSON,
	} {
		want, err := generate(operations)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.Join("..", "..", "docs", name)
		if *update {
			if err := os.WriteFile(name, want, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: regenerate it with make docs", name)
		}
	}
}

// contract 2.90
func TestAttributesOfTheDocumentHaveTheWordsOfPages(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{string(docs.OpenAPI): "Amount to pay", string(docs.OpenAPICodegen): ""} {
		var parsed struct {
			Components struct {
				Schemas map[string]struct {
					Properties map[string]struct{ Title string }
				}
			}
		}
		if err := json.Unmarshal([]byte(document), &parsed); err != nil {
			t.Fatal(err)
		}
		if got := parsed.Components.Schemas["Invoice"].Properties["pay_price"].Title; got != want {
			t.Errorf("pay_price has the title %q, want %q", got, want)
		}
	}
}

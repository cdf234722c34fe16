package openapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/adapters/httpapi/openapi"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/docs"
)

var update = flag.Bool("update", false, "regenerate docs/openapi.json, docs/openapi.yaml and docs/openapi-codegen.json")

// generated are the documents of the routes, by the names of their files.
func generated(t *testing.T) map[string][]byte {
	t.Helper()
	operations := httpapi.Operations(bootstrap.Resources(nil, bootstrap.Commands{}, bootstrap.Trials{}))
	inJSON, err := openapi.JSON(operations)
	if err != nil {
		t.Fatal(err)
	}
	inYAML, err := openapi.YAML(inJSON)
	if err != nil {
		t.Fatal(err)
	}
	forCodegen, err := openapi.CodegenJSON(operations)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"openapi.json": inJSON, "openapi.yaml": inYAML, "openapi-codegen.json": forCodegen}
}

// The service embeds the files.
func TestDocumentInDocsIsUpToDate(t *testing.T) {
	for name, want := range generated(t) {
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

// contract 1.53
func TestDocumentHasExactlyTheOperationsOfTheRoutes(t *testing.T) {
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(docs.OpenAPI, &document); err != nil {
		t.Fatal(err)
	}
	got, want := map[string]bool{}, map[string]bool{}
	for path, methods := range document.Paths {
		for method := range methods {
			if method != "parameters" {
				got[strings.ToUpper(method)+" "+path] = true
			}
		}
	}
	for _, o := range httpapi.Operations(bootstrap.Resources(nil, bootstrap.Commands{}, bootstrap.Trials{})) {
		want[o.Method+" "+o.Path] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-routes +document\n%s", diff)
	}
}

// inOrder is a value of the YAML library as compact JSON.
func inOrder(t *testing.T, value any) string {
	t.Helper()
	var b strings.Builder
	switch v := value.(type) {
	case yaml.MapSlice:
		b.WriteByte('{')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(inOrder(t, item.Key) + ":" + inOrder(t, item.Value))
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(inOrder(t, v[i]))
		}
		b.WriteByte(']')
	default:
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

// contract 1.53, 1.56
func TestDocumentInYAMLEqualsTheJSONInOrder(t *testing.T) {
	var tree yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(docs.OpenAPIYAML, &tree, yaml.UseOrderedMap()); err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, docs.OpenAPI); err != nil {
		t.Fatal(err)
	}
	got, want := inOrder(t, tree), compact.String()
	if got != want {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Errorf("YAML continues with\n%.200s\nand JSON with\n%.200s", got[max(i-40, 0):], want[max(i-40, 0):])
	}
}

func TestDocumentInYAMLIsReadByOtherLibraries(t *testing.T) {
	load := func(text []byte) string {
		t.Helper()
		d, err := openapi3.NewLoader().LoadFromData(text)
		if err != nil {
			t.Fatal(err)
		}
		read, err := d.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		return string(read)
	}
	if diff := cmp.Diff(load(docs.OpenAPI), load(docs.OpenAPIYAML)); diff != "" {
		t.Errorf("-JSON +YAML\n%.2000s", diff)
	}
}

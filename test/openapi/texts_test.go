package openapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/docs"
)

// walk visits every object of the document with its path.
func walk(at string, value any, visit func(at string, o map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(at, v)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			walk(at+"/"+name, v[name], visit)
		}
	case []any:
		for i := range v {
			walk(fmt.Sprintf("%s/%d", at, i), v[i], visit)
		}
	}
}

func documentTree(t *testing.T) map[string]any {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal(docs.OpenAPI, &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

// selfEvident are attributes whose names need no description.
var selfEvident = []string{
	"id", "name", "email", "phone", "description", "notice", "created_at", "updated_at", "created_on", "updated_on", "company", "manager", "status", "deal", "client", "performer", "type",
}

func TestDocumentDescribesEveryAttribute(t *testing.T) {
	schemas := documentTree(t)["components"].(map[string]any)["schemas"]
	described := 0
	walk("", schemas, func(at string, o map[string]any) {
		properties, _ := o["properties"].(map[string]any)
		for name, schema := range properties {
			if schema.(map[string]any)["description"] != nil {
				described++
			} else if !slices.Contains(selfEvident, name) {
				t.Errorf("%s: %s has no description", at, name)
			}
		}
	})
	if described < 100 {
		t.Errorf("only %d attributes have descriptions", described)
	}
}

// hasNoExample reports whether a place is a form, which has the same attributes as JSON, or
// the document itself.
func hasNoExample(at string) bool {
	return strings.Contains(at, "form") || strings.Contains(at, "/openapi")
}

// contract 3.9
func TestDocumentQuotesTheMessageOfAContactListWithoutOwner(t *testing.T) {
	list := documentTree(t)["paths"].(map[string]any)["/rest/contact"].(map[string]any)["get"].(map[string]any)
	if description := list["description"].(string); !strings.Contains(description, "`no deal_id or client_id`") {
		t.Errorf("the description is %s", description)
	}
}

func TestDocumentHasDescriptionsAndExamples(t *testing.T) {
	operations := 0
	walk("", documentTree(t), func(at string, o map[string]any) {
		isOperation, isParameter, isHeader := o["operationId"] != nil, o["in"] != nil, strings.Contains(at, "/headers/")
		isResponse := strings.Contains(at, "/responses/") && o["content"] != nil
		isBody := strings.Contains(at, "/content/") && o["schema"] != nil
		if text, _ := o["description"].(string); text == "" && o["$ref"] == nil && (isOperation || isParameter || isResponse || isHeader && o["schema"] != nil) {
			t.Errorf("%s has no description", at)
		}
		if examples, _ := o["examples"].(map[string]any); isBody && len(examples) == 0 && !hasNoExample(at) {
			t.Errorf("%s has no example", at)
		}
		if isOperation {
			operations++
		}
	})
	if operations == 0 {
		t.Error("the document has no operations")
	}
	for _, tag := range documentTree(t)["tags"].([]any) {
		if text, _ := tag.(map[string]any)["description"].(string); text == "" {
			t.Errorf("%v has no description", tag)
		}
	}
}

func TestDocsOfResourcesDescribeExistingAttributes(t *testing.T) {
	properties := map[string]bool{}
	walk("", documentTree(t)["components"], func(_ string, o map[string]any) {
		names, _ := o["properties"].(map[string]any)
		for name := range names {
			properties[name] = true
		}
	})
	for _, o := range httpapi.Operations(bootstrap.Resources(nil, bootstrap.Commands{}, bootstrap.Trials{})) {
		if o.Docs == nil {
			continue
		}
		for path := range o.Docs.Attributes {
			for name := range strings.SplitSeq(path, ".") {
				if !properties[name] {
					t.Errorf("%s documents the attribute %s", o.Record, path)
				}
			}
		}
	}
}

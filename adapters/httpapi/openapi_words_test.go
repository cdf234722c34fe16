package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// walk visits every object of the document, with where it stands.
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
	if err := json.Unmarshal(Document(), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

// selfEvident are attributes whose names say all that there is to say.
var selfEvident = []string{
	"id", "name", "email", "phone", "description", "notice", "created_at", "updated_at", "created_on", "updated_on", "company", "manager", "status", "deal", "client", "performer", "type",
}

// Whoever adds an attribute says what it holds.
func TestEveryAttributeInTheDocumentIsExplained(t *testing.T) {
	schemas := documentTree(t)["components"].(map[string]any)["schemas"]
	explained := 0
	walk("", schemas, func(at string, o map[string]any) {
		properties, _ := o["properties"].(map[string]any)
		for name, schema := range properties {
			if schema.(map[string]any)["description"] != nil {
				explained++
			} else if !slices.Contains(selfEvident, name) {
				t.Errorf("%s: nothing is said about %s", at, name)
			}
		}
	})
	if explained < 100 {
		t.Errorf("only %d attributes are explained", explained)
	}
}

// hasNoExample tells of a form, which has the same attributes as JSON, and of the
// documents themselves.
func hasNoExample(at string) bool {
	return strings.Contains(at, "form") || strings.Contains(at, "/openapi.")
}

// A reader of the document finds words for all of it, and examples of whatever
// has a body.
func TestEveryPartOfTheDocumentHasWordsAndExamples(t *testing.T) {
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
	if operations != len(Routes()) {
		t.Errorf("%d operations for %d routes", operations, len(Routes()))
	}
	for _, tag := range documentTree(t)["tags"].([]any) {
		if text, _ := tag.(map[string]any)["description"].(string); text == "" {
			t.Errorf("nothing is said about %v", tag)
		}
	}
}

// An example shows what there is to see: a note of an attribute that no record
// has is a mistake.
func TestNotesAreAboutAttributesThatAreThere(t *testing.T) {
	properties := map[string]bool{}
	walk("", documentTree(t)["components"], func(_ string, o map[string]any) {
		names, _ := o["properties"].(map[string]any)
		for name := range names {
			properties[name] = true
		}
	})
	for record, known := range noted {
		for path := range known {
			for name := range strings.SplitSeq(path, ".") {
				if !properties[name] {
					t.Errorf("%s has a note about %s", record, path)
				}
			}
		}
	}
}

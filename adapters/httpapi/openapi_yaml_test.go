package httpapi

import (
	"bytes"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

// inOrder is what was read from YAML as the document is made: objects whose
// members keep their order.
func inOrder(value any) any {
	switch v := value.(type) {
	case yaml.MapSlice:
		o := object{}
		for _, item := range v {
			o = append(o, member{item.Key.(string), inOrder(item.Value)})
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = inOrder(v[i])
		}
		return list
	}
	return value
}

// contract 1.53, 1.56
func TestTheDocumentInYAMLIsTheOneInJSONInTheSameOrder(t *testing.T) {
	var tree yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(DocumentYAML(), &tree, yaml.UseOrderedMap()); err != nil {
		t.Fatal(err)
	}
	got, err := appendJSON(nil, inOrder(tree))
	if err != nil {
		t.Fatal(err)
	}
	if want := Document(); !bytes.Equal(got, want) {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Errorf("in YAML it goes on with\n%.200s\nand in JSON with\n%.200s", got[max(i-40, 0):], want[max(i-40, 0):])
	}
}

// Another library reads the same.
func TestTheDocumentInYAMLCanBeReadByOthers(t *testing.T) {
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
	if diff := cmp.Diff(load(Document()), load(DocumentYAML())); diff != "" {
		t.Errorf("-in JSON +in YAML\n%.2000s", diff)
	}
}

// What YAML would take for something else stands in quotes, and comes back as it
// was.
func TestTextsComeBackFromYAMLAsTheyWere(t *testing.T) {
	for _, text := range []string{
		"", " ", "a", "true", "False", "null", "Yes", "no", "~", "12", "1.5", "-1", "- a", "a: b", "a #b", "#a", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a`", "a`b`",
		"'a'", "it's", "\"a\"", "a\\nb", "{a}", "[a]", "a{id}", "/rest/{id}", "$ref", "a\nb", "a\n\nb", "a\n  b\nc", "a\nb\n", "\na", " a\nb", "a \nb",
		"a\tb", "a\r\nb", "Möbel", "東京", "2024-03-09", "a\u2028b", "0x1f", "1e3", "a,b", "? a", "a?", "=", "---", "...", "null\nb", "# a\n- b",
	} {
		var tree yaml.MapSlice
		written := appendYAML(nil, object{{text, text}, {"list", []any{text, object{{"in", text}, {"also", text}}, []any{text}}}}, 0)
		if err := yaml.UnmarshalWithOptions(written, &tree, yaml.UseOrderedMap()); err != nil {
			t.Errorf("%q: %v in\n%s", text, err, written)
			continue
		}
		want := object{{text, text}, {"list", []any{text, object{{"in", text}, {"also", text}}, []any{text}}}}
		if diff := cmp.Diff(want, inOrder(tree), cmp.AllowUnexported(member{})); diff != "" {
			t.Errorf("%q comes back as another\n%s\n%s", text, diff, written)
		}
	}
}

func BenchmarkDocument(b *testing.B) {
	b.Run("JSON", func(b *testing.B) {
		for range b.N {
			if _, err := appendJSON(nil, wholeDocument()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("YAML", func(b *testing.B) {
		for range b.N {
			if len(appendYAML(nil, decoded(Document()), 0)) == 0 {
				b.Fatal("nothing")
			}
		}
	})
}

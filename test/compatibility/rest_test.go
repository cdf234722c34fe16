package compatibility

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

type schema struct {
	Ref        string `json:"$ref"`
	Type       any    // a name, or several
	Items      *schema
	AnyOf      []*schema
	OneOf      []*schema
	Enum       []any
	Properties map[string]*schema
	Required   []string
}

type operation struct {
	OperationID string `json:"operationId"`
	Parameters  []parameter
}

type parameter struct {
	Ref      string `json:"$ref"`
	Name     string
	In       string
	Required bool
	Schema   *schema
}

// restListing has the operations, parameters, attributes and their values of an OpenAPI document.
func restListing(t *testing.T, document string) listing {
	t.Helper()
	var d struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct {
			Schemas    map[string]*schema
			Parameters map[string]parameter
		}
	}
	if err := json.Unmarshal([]byte(document), &d); err != nil {
		t.Fatal(err)
	}
	l := listing{}
	for path, methods := range d.Paths {
		for method, raw := range methods {
			var o operation
			if json.Unmarshal(raw, &o) != nil || o.OperationID == "" {
				continue // not a method
			}
			name := strings.ToUpper(method) + " " + path
			l.add(name, o.OperationID)
			for _, p := range o.Parameters {
				if p.Ref != "" {
					p = d.Components.Parameters[last(p.Ref)]
				}
				if p.Schema != nil {
					p.Schema.list(l, name+"?"+p.Name, necessity[p.Required])
				}
			}
		}
	}
	for name, s := range d.Components.Schemas {
		s.list(l, name, "")
	}
	return l
}

var necessity = map[bool]string{true: required}

// list adds a schema, whose description has that end, its values and its properties.
func (s *schema) list(l listing, name, end string) {
	l.add(name, s.text()+end)
	for _, value := range s.Enum {
		l.add(fmt.Sprintf("%s=%v", name, value), "a value")
	}
	for property, of := range s.Properties {
		of.list(l, name+"."+property, necessity[slices.Contains(s.Required, property)])
	}
}

func (s *schema) text() string {
	switch {
	case s.Ref != "":
		return last(s.Ref)
	case s.Items != nil:
		return s.Items.text() + "[]"
	case len(s.AnyOf)+len(s.OneOf) > 0:
		all := map[string]bool{}
		for _, alternative := range append(s.AnyOf, s.OneOf...) {
			all[alternative.text()] = true
		}
		return strings.Join(slices.Sorted(maps.Keys(all)), " or ")
	}
	if several, ok := s.Type.([]any); ok {
		return strings.Trim(fmt.Sprint(several), "[]")
	}
	return fmt.Sprint(s.Type)
}

func last(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

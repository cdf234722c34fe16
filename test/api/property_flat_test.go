package api_test

import (
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
)

// flat is every plain value inside a decoded JSON value, as XML writes it, by its
// path, such as [0].company.name.
func flat(path string, v any) map[string]string {
	values := map[string]string{}
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			maps.Copy(values, flat(path+"."+name, inner))
		}
	case []any:
		for i, inner := range v {
			maps.Copy(values, flat(fmt.Sprintf("%s[%d]", path, i), inner))
		}
		if len(v) == 0 {
			values[path] = ""
		}
	case bool:
		values[path] = map[bool]string{true: "1"}[v]
	case nil:
		values[path] = ""
	default:
		values[path] = text(v)
	}
	return values
}

// flatItems is flat for the records of a list.
func (r *reply) flatItems() map[string]string {
	r.t.Helper()
	var answer struct{ Response struct{ Items any } }
	r.wants(http.StatusOK).decode(&answer)
	return flat("", answer.Response.Items)
}

// flatXML is flat for an answer in XML, below its root.
func (r *reply) flatXML(path string) map[string]string {
	r.t.Helper()
	var root element
	if err := xml.Unmarshal([]byte(r.wants(http.StatusOK).body), &root); err != nil {
		r.t.Fatalf("%s: %v\n%s", r.what, err, r.body)
	}
	values := map[string]string{}
	root.flatInto(values, path)
	return values
}

type element struct {
	XMLName xml.Name
	Text    string    `xml:",chardata"`
	Inner   []element `xml:",any"`
}

func (e element) flatInto(values map[string]string, path string) {
	if len(e.Inner) == 0 {
		values[path] = e.Text
	}
	for i, inner := range e.Inner {
		if name := inner.XMLName.Local; name != "item" {
			inner.flatInto(values, path+"."+name)
			continue
		}
		inner.flatInto(values, fmt.Sprintf("%s[%d]", path, i))
	}
}

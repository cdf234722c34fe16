package openapi

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/goccy/go-yaml"
)

// object is a JSON object whose members keep their order, in which people read the document.
type object []member

type member struct {
	name  string
	value any
}

func (o object) with(name string, value any) object {
	return append(slices.Clip(o), member{name, value})
}

func (o object) has(name string) bool {
	return slices.ContainsFunc(o, func(m member) bool { return m.name == name })
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(m.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// parse reads JSON into objects, lists, json.Number, strings, booleans and nil.
func parse(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return parseNext(d)
}

func parseNext(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := parseNext(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{name.(string), value}) // the decoder accepts only strings as names
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			item, err := parseNext(d)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := d.Token()
		return list, err
	}
	return token, nil
}

// ordered converts what parse returns to values that the YAML library writes in order.
func ordered(value any) any {
	switch v := value.(type) {
	case object:
		o := yaml.MapSlice{}
		for _, m := range v {
			o = append(o, yaml.MapItem{Key: m.name, Value: ordered(m.value)})
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = ordered(v[i])
		}
		return list
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // the decoder accepts only numbers
		return f
	}
	return value
}

package openapi

import (
	"bytes"
	"encoding/json"
	"slices"
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

package httpapi

import (
	"bytes"
	"encoding/json"
	"slices"
)

// object is a JSON object whose members keep their order, in which people read
// the reference document.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// with is the object with one member more at its end.
func (o object) with(name string, value any) object {
	return append(slices.Clip(o), member{name, value})
}

// has tells whether there is a member of the name.
func (o object) has(name string) bool {
	return slices.ContainsFunc(o, func(m member) bool { return m.name == name })
}

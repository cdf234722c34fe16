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
func (o object) MarshalJSON() ([]byte, error) { return appendJSON(nil, o) }

// appendJSON appends the value. Objects are walked here and not by encoding/json,
// which would read through the whole text anew at each depth.
func appendJSON(to []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case object:
		return appendMembers(to, v)
	case []object:
		return appendElements(to, v)
	case json.RawMessage:
		return append(to, v...), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return append(to, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...), nil
}

func appendMembers(to []byte, o object) (_ []byte, err error) {
	to = append(to, '{')
	for i, m := range o {
		if i > 0 {
			to = append(to, ',')
		}
		if to, err = appendJSON(to, m.name); err != nil {
			return nil, err
		}
		to = append(to, ':')
		if to, err = appendJSON(to, m.value); err != nil {
			return nil, err
		}
	}
	return append(to, '}'), nil
}

func appendElements(to []byte, list []object) (_ []byte, err error) {
	to = append(to, '[')
	for i, o := range list {
		if i > 0 {
			to = append(to, ',')
		}
		if to, err = appendMembers(to, o); err != nil {
			return nil, err
		}
	}
	return append(to, ']'), nil
}

// with is the object with one member more at its end.
func (o object) with(name string, value any) object {
	return append(slices.Clip(o), member{name, value})
}

// has tells whether there is a member of the name.
func (o object) has(name string) bool {
	return slices.ContainsFunc(o, func(m member) bool { return m.name == name })
}

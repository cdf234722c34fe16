package body

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/membudget"
)

// decodeXML reads a record: an element for each attribute under a root of any name. XML
// attributes and comments are ignored. A document type is rejected, so the only entities
// are the five predefined ones.
func decodeXML(raw []byte, memory *membudget.Reservation) (Value, error) {
	d := xmlReader{xml.NewDecoder(bytes.NewReader(raw)), tally{memory: memory}}
	root, err := d.root()
	if err != nil {
		return Value{}, notXML(err)
	}
	if root.Kind == String && strings.TrimSpace(root.Text) == "" {
		return Value{Kind: Record}, nil
	}
	return root, nil
}

func notXML(err error) error {
	if fault.As(err) != nil {
		return err
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("it has no root element")
	}
	return fault.New(fault.Malformed, "the body is not XML: %s", quoted(err.Error()))
}

// xmlReader reads and counts elements.
type xmlReader struct {
	*xml.Decoder
	tally
}

// root reads the root element.
func (d *xmlReader) root() (root Value, err error) {
	found := false
	for {
		token, err := d.Token()
		if found && errors.Is(err, io.EOF) {
			return root, nil
		}
		if err != nil {
			return Value{}, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if found {
				return Value{}, errors.New("there is data after the record")
			}
			if root, err = d.element(1); err != nil {
				return Value{}, err
			}
			found = true
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return Value{}, errors.New("there is text outside the record")
			}
		case xml.Directive:
			return Value{}, fault.New(fault.Malformed, "the body must not declare a document type")
		}
	}
}

// element reads an element to its end: text, a list (all its elements are named item) or a
// record.
func (d *xmlReader) element(depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, tooDeep()
	}
	if err := d.value(); err != nil {
		return Value{}, err
	}
	var text strings.Builder
	fields := map[string]Value{}
	var items []Value
	for {
		token, err := d.Token()
		if err != nil {
			return Value{}, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			child, err := d.element(depth + 1)
			if err != nil {
				return Value{}, err
			}
			if t.Name.Local == "item" {
				items = append(items, child)
				continue
			}
			if len(fields) == 0 {
				if err := d.record(); err != nil {
					return Value{}, err
				}
			}
			fields[t.Name.Local] = child
		case xml.CharData:
			text.Write(t)
		case xml.Directive:
			return Value{}, fault.New(fault.Malformed, "the body must not declare a document type")
		case xml.EndElement:
			return valueOfElement(text.String(), items, fields)
		}
	}
}

func valueOfElement(text string, items []Value, fields map[string]Value) (Value, error) {
	switch {
	case len(items) == 0 && len(fields) == 0:
		return Value{Kind: String, Text: text}, nil
	case strings.TrimSpace(text) != "":
		return Value{}, errors.New("an element mixes text and elements")
	case len(fields) == 0:
		return Value{Kind: List, Items: items}, nil
	case len(items) > 0:
		return Value{}, errors.New("an element mixes item and other elements")
	}
	return Value{Kind: Record, Fields: fields}, nil
}

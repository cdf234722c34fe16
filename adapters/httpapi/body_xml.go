package httpapi

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/membudget"
)

// decodeXML reads a record: an element for each attribute, below a root of any
// name. XML attributes and comments say nothing. There is no document type, and
// so no entity but the five of XML itself.
func decodeXML(raw []byte, share *membudget.Share) (node, error) {
	d := xmlReader{xml.NewDecoder(bytes.NewReader(raw)), tally{share: share}}
	root, err := d.root()
	if err != nil {
		return node{}, notXML(err)
	}
	if root.kind == scalar && strings.TrimSpace(root.text) == "" {
		return node{kind: record}, nil
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

// xmlReader reads elements and counts them.
type xmlReader struct {
	*xml.Decoder
	tally
}

// root reads the one element of the document.
func (d *xmlReader) root() (root node, err error) {
	found := false
	for {
		token, err := d.Token()
		if found && errors.Is(err, io.EOF) {
			return root, nil
		}
		if err != nil {
			return node{}, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if found {
				return node{}, errors.New("there is something behind the record")
			}
			if root, err = d.element(1); err != nil {
				return node{}, err
			}
			found = true
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return node{}, errors.New("there is text outside of the record")
			}
		case xml.Directive:
			return node{}, fault.New(fault.Malformed, "the body must not declare a document type")
		}
	}
}

// element reads what is in an element until its end: text; or elements that
// are all called item, a list; or other elements, a record.
func (d *xmlReader) element(depth int) (node, error) {
	if depth > maxDepth {
		return node{}, tooDeep()
	}
	if err := d.value(); err != nil {
		return node{}, err
	}
	var text strings.Builder
	fields := map[string]node{}
	var items []node
	for {
		token, err := d.Token()
		if err != nil {
			return node{}, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			child, err := d.element(depth + 1)
			if err != nil {
				return node{}, err
			}
			if t.Name.Local == "item" {
				items = append(items, child)
				continue
			}
			if len(fields) == 0 {
				if err := d.record(); err != nil {
					return node{}, err
				}
			}
			fields[t.Name.Local] = child
		case xml.CharData:
			text.Write(t)
		case xml.Directive:
			return node{}, fault.New(fault.Malformed, "the body must not declare a document type")
		case xml.EndElement:
			return foundInXML(text.String(), items, fields)
		}
	}
}

func foundInXML(text string, items []node, fields map[string]node) (node, error) {
	switch {
	case len(items) == 0 && len(fields) == 0:
		return node{kind: scalar, text: text}, nil
	case strings.TrimSpace(text) != "":
		return node{}, errors.New("text and elements stand side by side")
	case len(fields) == 0:
		return node{kind: list, items: items}, nil
	case len(items) > 0:
		return node{}, errors.New("an item stands beside other elements")
	}
	return node{kind: record, fields: fields}, nil
}

package body

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/kontor-crm/kontor/domain/fault"
)

// decodeXML reads a record: an element for each attribute under a root of any name. XML
// attributes and comments are ignored. A document type is rejected, so the only entities
// are the five predefined ones.
func decodeXML(raw []byte) (Value, error) {
	if err := checkXMLAttributes(raw); err != nil {
		return Value{}, err
	}
	if err := checkReferences(raw); err != nil {
		return Value{}, err
	}
	d := xmlReader{xml.NewDecoder(bytes.NewReader(raw)), tally{}}
	root, err := d.root()
	if err != nil {
		return Value{}, notXML(err)
	}
	if root.Kind == Blank {
		return Value{Kind: Record}, nil
	}
	return root, nil
}

// maxXMLAttributes is how many XML attributes an element may have. The decoder collects them
// at 25 times the size of the shortest ones before decodeXML sees the element, so they are
// counted before it runs.
const maxXMLAttributes = 100

func checkXMLAttributes(raw []byte) error {
	for {
		i := bytes.IndexByte(raw, '<')
		if i < 0 {
			return nil
		}
		raw = raw[i+1:]
		if xmlAttributes(raw) > maxXMLAttributes {
			return fault.New(fault.Malformed, "an element of the body has more than %d XML attributes", maxXMLAttributes)
		}
	}
}

// xmlAttributes counts the equals signs of a start tag outside of quotes: an attribute has
// one, and a value holds no < that would begin another tag.
func xmlAttributes(tag []byte) int {
	if len(tag) > 0 && strings.IndexByte("/?! \t\r\n", tag[0]) >= 0 {
		return 0 // not a start tag
	}
	n, quote := 0, byte(0)
	for _, c := range tag {
		switch {
		case c == '<', c == '>' && quote == 0:
			return n
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == '=':
			n++
		}
	}
	return n
}

// references matches a character reference, with its digits, or a part of a document in which
// there are none.
var references = regexp.MustCompile(`&#([0-9]+|x[0-9a-fA-F]+);|(?s:<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>)`)

// checkReferences rejects references to surrogates, which are no characters: the decoder would
// silently replace them by U+FFFD.
func checkReferences(raw []byte) error {
	if !bytes.Contains(raw, []byte("&#")) {
		return nil
	}
	for {
		match := references.FindSubmatchIndex(raw)
		if match == nil {
			return nil
		}
		if match[2] >= 0 {
			digits, base := string(raw[match[2]:match[3]]), 10
			if hex, ok := strings.CutPrefix(digits, "x"); ok {
				digits, base = hex, 16
			}
			if code, err := strconv.ParseUint(digits, base, 31); err == nil && utf16.IsSurrogate(rune(code)) {
				return fault.New(fault.Malformed, "the body is not XML: U+%X is half of a surrogate pair, not a character", code)
			}
		}
		raw = raw[match[1]:]
	}
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

type xmlReader struct {
	*xml.Decoder
	tally
}

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
			name := t.Name.Local
			child, err := d.element(depth + 1)
			if err != nil {
				return Value{}, err
			}
			if name == "item" {
				items = append(items, child)
				continue
			}
			fields[name] = child
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
		return untyped(text), nil
	case strings.TrimSpace(text) != "":
		return Value{}, errors.New("an element mixes text and elements")
	case len(fields) == 0:
		return Value{Kind: List, Items: items}, nil
	case len(items) > 0:
		return Value{}, errors.New("an element mixes item and other elements")
	}
	return Value{Kind: Record, Fields: fields}, nil
}

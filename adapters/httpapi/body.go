package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/domain/fault"
)

// nodeKind is what sort of value a body holds.
type nodeKind uint8

const (
	null   nodeKind = iota // nothing
	scalar                 // text, as it was sent
	number                 // a number, as it was sent
	truth                  // true or false
	list                   // several values
	record                 // named values
)

// node is a value in a request's body, whatever format it came in.
type node struct {
	kind   nodeKind
	text   string // of a scalar, a number or a truth
	items  []node // of a list
	fields map[string]node
}

// maxDepth is how deep values may stand inside one another.
const maxDepth = 32

// bodyError is the refusal of a body that could not be received.
func bodyError(err error, limit int64) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return refusal{status: http.StatusRequestEntityTooLarge, detail: fmt.Sprintf("the body is larger than %d bytes", limit)}
	}
	return fault.New(fault.Malformed, "the body could not be read to its end").Because(err)
}

// decodeBody reads the record in a body.
func decodeBody(contentType string, raw []byte) (node, error) {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/json" {
		return node{}, refusal{status: http.StatusUnsupportedMediaType, detail: "the body must be application/json"}
	}
	n, err := decodeJSON(raw)
	if err != nil {
		return node{}, err
	}
	if n.kind != record {
		return node{}, fault.New(fault.Malformed, "the body must be one record")
	}
	return unwrapped(n), nil
}

// unwrapped takes a record out of the response root that answers have, so that
// what a GET gave can be sent back.
func unwrapped(n node) node {
	if inner, ok := n.fields["response"]; ok && len(n.fields) == 1 && inner.kind == record {
		return inner
	}
	return n
}

// notText marks bytes that are no UTF-8: a character that no text may hold, so
// that the field it stands in is refused by name.
var notText = []byte("\uFFFF")

func decodeJSON(raw []byte) (node, error) {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, notText)
	}
	replaceHalves(raw)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	n, err := nextJSON(d, 0)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return n, nil
		}
		err = errors.New("there is something behind the record")
	}
	if f := fault.As(err); f != nil {
		return node{}, f
	}
	return node{}, fault.New(fault.Malformed, "the body is not JSON: %s", err)
}

// replaceHalves marks likewise an escape for one half of a surrogate pair
// without the other, which is no character: the decoder would put one of its own
// there and say nothing.
func replaceHalves(raw []byte) {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		first, ok := unescaped(raw[i:])
		if !ok {
			i++ // what is escaped begins no escape
			continue
		}
		if utf16.IsSurrogate(first) {
			second, _ := unescaped(raw[i+escapeSize:])
			if utf16.DecodeRune(first, second) == utf8.RuneError {
				copy(raw[i:], `\uffff`)
			} else {
				i += escapeSize
			}
		}
		i += escapeSize - 1
	}
}

const escapeSize = len(`\uffff`)

// unescaped is the code unit whose escape the text begins with.
func unescaped(text []byte) (unit rune, ok bool) {
	if len(text) < escapeSize || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:escapeSize]), 16, 16)
	return rune(n), err == nil
}

func nextJSON(d *json.Decoder, depth int) (node, error) {
	token, err := d.Token()
	if err != nil {
		return node{}, unexpectedEnd(err)
	}
	switch t := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return node{}, fault.New(fault.Malformed, "the body is nested more than %d deep", maxDepth)
		}
		if t == '[' {
			return listJSON(d, depth+1)
		}
		return recordJSON(d, depth+1)
	case string:
		return node{kind: scalar, text: t}, nil
	case json.Number:
		return node{kind: number, text: t.String()}, nil
	case bool:
		return node{kind: truth, text: fmt.Sprint(t)}, nil
	}
	return node{kind: null}, nil
}

func listJSON(d *json.Decoder, depth int) (node, error) {
	n := node{kind: list}
	for d.More() {
		item, err := nextJSON(d, depth)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
	}
	_, err := d.Token()
	return n, unexpectedEnd(err)
}

func recordJSON(d *json.Decoder, depth int) (node, error) {
	n := node{kind: record, fields: map[string]node{}}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return n, unexpectedEnd(err)
		}
		value, err := nextJSON(d, depth)
		if err != nil {
			return n, err
		}
		n.fields[name.(string)] = value // the decoder lets nothing but strings be names
	}
	_, err := d.Token()
	return n, unexpectedEnd(err)
}

func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("it ends too early")
	}
	return err
}

package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/membudget"
)

func decodeJSON(raw []byte, share *membudget.Share) (node, error) {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, notText)
	}
	replaceHalves(raw)
	d := jsonReader{json.NewDecoder(bytes.NewReader(raw)), tally{share: share}}
	d.UseNumber()
	n, err := d.next(0)
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

// jsonReader reads values and counts them.
type jsonReader struct {
	*json.Decoder
	tally
}

func (d *jsonReader) next(depth int) (node, error) {
	if err := d.value(); err != nil {
		return node{}, err
	}
	token, err := d.Token()
	if err != nil {
		return node{}, unexpectedEnd(err)
	}
	switch t := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return node{}, tooDeep()
		}
		if t == '[' {
			return d.list(depth + 1)
		}
		return d.fields(depth + 1)
	case string:
		return node{kind: scalar, text: t}, nil
	case json.Number:
		return node{kind: number, text: t.String()}, nil
	case bool:
		return node{kind: truth, text: fmt.Sprint(t)}, nil
	}
	return node{kind: null}, nil
}

func (d *jsonReader) list(depth int) (node, error) {
	n := node{kind: list}
	for d.More() {
		item, err := d.next(depth)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
	}
	_, err := d.Token()
	return n, unexpectedEnd(err)
}

func (d *jsonReader) fields(depth int) (node, error) {
	n := node{kind: record, fields: map[string]node{}}
	if d.More() {
		if err := d.record(); err != nil {
			return n, err
		}
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return n, unexpectedEnd(err)
		}
		value, err := d.next(depth)
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

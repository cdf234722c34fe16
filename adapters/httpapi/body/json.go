package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/domain/fault"
)

func decodeJSON(raw []byte) (Value, error) {
	isMarked := !utf8.Valid(raw)
	if isMarked {
		raw = bytes.ToValidUTF8(raw, []byte(invalid))
	}
	isMarked = replaceLoneSurrogates(raw) || isMarked
	d := jsonReader{json.NewDecoder(bytes.NewReader(raw)), tally{}, isMarked}
	d.UseNumber()
	v, err := d.next(0)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return v, nil
		}
		err = errors.New("there is data after the record")
	}
	if f := fault.As(err); f != nil {
		return Value{}, f
	}
	return Value{}, fault.New(fault.Malformed, "the body is not JSON: %s", plainly(raw, err))
}

// plainly says where the error of the decoder is, and what is wrong with the most frequent one, a comma at the end.
func plainly(raw []byte, err error) string {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok || syntax.Offset >= int64(len(raw)) {
		return err.Error()
	}
	before, reason := raw[:syntax.Offset], err.Error()
	if c := raw[syntax.Offset]; (c == '}' || c == ']') && bytes.HasSuffix(bytes.TrimSpace(before), []byte(",")) {
		reason = fmt.Sprintf("there must be no comma before %c", c)
	}
	start := bytes.LastIndexByte(before, '\n') + 1
	return fmt.Sprintf("%s (line %d, column %d)", reason, bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(before[start:])+1)
}

// invalid marks what is not UTF-8 until it is decoded: the decoder would silently replace it by
// U+FFFD, which is a character.
const invalid = "\uFFFF"

// replaceLoneSurrogates replaces each escaped half of a surrogate pair that stands alone by
// invalid, and reports whether there was one.
func replaceLoneSurrogates(raw []byte) (found bool) {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		first, ok := unescaped(raw[i:])
		if !ok {
			i++ // the escaped character begins no escape
			continue
		}
		if utf16.IsSurrogate(first) {
			second, _ := unescaped(raw[i+escapeSize:])
			if utf16.DecodeRune(first, second) == utf8.RuneError {
				copy(raw[i:], `\uffff`)
				found = true
			} else {
				i += escapeSize
			}
		}
		i += escapeSize - 1
	}
	return found
}

const escapeSize = len(`\uffff`)

// unescaped returns the code unit of the escape at the beginning of the text.
func unescaped(text []byte) (unit rune, ok bool) {
	if len(text) < escapeSize || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:escapeSize]), 16, 16)
	return rune(n), err == nil
}

type jsonReader struct {
	*json.Decoder
	tally
	isMarked bool // the body has texts that are not UTF-8
}

func (d *jsonReader) next(depth int) (Value, error) {
	if err := d.value(); err != nil {
		return Value{}, err
	}
	token, err := d.Token()
	if err != nil {
		return Value{}, unexpectedEnd(err)
	}
	switch t := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return Value{}, tooDeep()
		}
		if t == '[' {
			return d.list(depth + 1)
		}
		return d.fields(depth + 1)
	case string:
		if d.isMarked {
			t = strings.ReplaceAll(t, invalid, "\xFF")
		}
		return Value{Kind: String, Text: t}, nil
	case json.Number:
		return Value{Kind: Number, Text: t.String()}, nil
	case bool:
		return Value{Kind: Bool, Text: fmt.Sprint(t)}, nil
	}
	return Value{Kind: Null}, nil
}

func (d *jsonReader) list(depth int) (Value, error) {
	v := Value{Kind: List}
	for d.More() {
		item, err := d.next(depth)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := d.Token()
	return v, unexpectedEnd(err)
}

func (d *jsonReader) fields(depth int) (Value, error) {
	v := Value{Kind: Record, Fields: map[string]Value{}}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return v, unexpectedEnd(err)
		}
		value, err := d.next(depth)
		if err != nil {
			return v, err
		}
		v.Fields[name.(string)] = value // the decoder accepts only strings as names
	}
	_, err := d.Token()
	return v, unexpectedEnd(err)
}

func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("unexpected end")
	}
	return err
}

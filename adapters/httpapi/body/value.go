package body

import (
	"strings"

	"github.com/kontor-crm/kontor/domain/fault"
)

// Kind is the type of a value.
type Kind uint8

// The kinds.
const (
	Null   Kind = iota
	Blank       // an element or form field without text, which may stand for any empty value
	String      // text, as it was sent
	Number      // a number, as it was sent
	Bool        // true or false
	List        // a list of values
	Record      // named values
)

// Value is a value in a body, whatever its format.
type Value struct {
	Kind   Kind
	Text   string           // of a Blank, String, Number or Bool
	Items  []Value          // of a List
	Fields map[string]Value // of a Record
}

// IsEmpty reports whether the value is null or a blank text.
func (v Value) IsEmpty() bool {
	return v.Kind <= Blank || v.Kind == String && strings.TrimSpace(v.Text) == ""
}

// untyped returns the value of a text in a format without types: XML, or a form.
func untyped(text string) Value {
	if strings.TrimSpace(text) == "" {
		return Value{Kind: Blank, Text: text}
	}
	return Value{Kind: String, Text: text}
}

const maxDepth = 32

// maxValues is how many values a body may hold, records and lists included. An invoice of
// 10,000 lines with all their attributes has fewer.
const maxValues = 100_000

type tally struct{ values int }

func (t *tally) value() error {
	if t.values == maxValues {
		return fault.New(fault.Malformed, "the body holds more than %d values", maxValues)
	}
	t.values++
	return nil
}

func tooDeep() error {
	return fault.New(fault.Malformed, "the body is nested more than %d levels deep", maxDepth)
}

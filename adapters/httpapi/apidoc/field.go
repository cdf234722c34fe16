package apidoc

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Field is an attribute that the body of a write may contain.
type Field struct {
	Name        string
	Schema      Schema
	Required    bool    // on creation; an update must not empty it
	CreateOnly  bool    // an update ignores it
	NotNull     bool    // it may be missing, but not empty
	About       string  // describes the attribute in bodies and responses, unless Docs do
	Description string  // describes it in a body, in place of that
	Alias       string  // another name that is accepted
	Line        []Field // of a list or an object: the fields of its records
	As          string  // the name of their schema
}

// RequiredText returns a field for a required text.
func RequiredText(name string, maxLength int) Field {
	return Field{Name: name, Schema: Schema(fmt.Sprintf(`{"type":"string","minLength":1,"maxLength":%d}`, maxLength)), Required: true}
}

// Schema is a JSON schema, as JSON.
type Schema string

// MarshalJSON implements json.Marshaler: a schema is JSON already.
func (s Schema) MarshalJSON() ([]byte, error) { return []byte(s), nil }

// The schemas of common values.
const (
	ID      Schema = `{"type":"integer","format":"int64","minimum":1}`
	Bool    Schema = `{"type":"boolean"}`
	Integer Schema = `{"type":"integer","format":"int64"}`
	Flag    Schema = `{"type":"integer","enum":[0,1]}`
	Array   Schema = `{"type":"array"}`
	Object  Schema = `{"type":"object"}`
	Day     Schema = `{"type":"string","format":"date"}`
	Date    Schema = `{"type":"string","examples":["2024-03-09","2024-03-09 14:30:00"]}`
)

// Text returns the schema of a text with a maximum length in characters; 0 is no limit.
func Text(maxLength int) Schema {
	if maxLength == 0 {
		return `{"type":"string"}`
	}
	return Schema(fmt.Sprintf(`{"type":"string","maxLength":%d}`, maxLength))
}

// TextsIn returns the schema of a list of texts that match the schema item. In XML each is an
// element item, as the records of a list are.
func TextsIn(item Schema) Schema {
	return Schema(strings.TrimSuffix(`{"type":"array","items":`+string(item), "}") + `,"xml":{"name":"item"}},"xml":{"wrapped":true}}`)
}

// Several returns the schema of a parameter with up to that many values, separated by commas.
func Several(value Schema, maxValues int) Schema {
	return Schema(fmt.Sprintf(`{"type":"array","items":%s,"maxItems":%d}`, value, maxValues))
}

// OneOf returns the schema of an enumeration of texts.
func OneOf(texts ...string) Schema {
	return `{"type":"string","enum":["` + Schema(strings.Join(texts, `","`)) + `"]}`
}

// Between returns the schema of an integer from low to high, both inclusive.
func Between(low, high int64) Schema {
	return Schema(fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d}`, low, high))
}

// Pattern returns the schema of a text that matches a regular expression.
func Pattern(pattern, example string) Schema {
	return Schema(fmt.Sprintf(`{"type":"string","pattern":%s,"examples":[%s]}`, quoted(pattern), quoted(example)))
}

func quoted(text string) []byte {
	quoted, _ := json.Marshal(text) // a string always marshals
	return quoted
}

// Of returns the schema of a value of the kind in a response.
func Of(kind readmodel.Kind) Schema {
	switch kind {
	case readmodel.ID:
		return ID
	case readmodel.Integer:
		return Integer
	case readmodel.Bool:
		return Bool
	case readmodel.Money:
		return Pattern(`^-?[0-9]+\.[0-9]{4}$`, "1250.0000")
	case readmodel.Percent:
		return Pattern(`^[0-9]+\.[0-9]{2}$`, "20.00")
	case readmodel.Quantity:
		return `{"type":"number","format":"double"}` // without a format, client generators choose 32 bits
	case readmodel.Decimal:
		return Pattern(`^-?[0-9]+(\.[0-9]+)?$`, "4.1166225")
	case readmodel.Texts:
		return TextsIn(Text(0))
	case readmodel.Day:
		return Pattern(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`, "2024-03-23")
	case readmodel.Time:
		return Pattern(`^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$`, "2024-03-09 14:30:00")
	}
	return Text(0)
}

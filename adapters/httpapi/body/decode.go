package body

import (
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/membudget"
)

// decoder reads a body; params are those of its content type.
type decoder func(raw []byte, params map[string]string, memory *membudget.Reservation) (Value, error)

var decoders = map[string]decoder{
	"application/json": func(raw []byte, _ map[string]string, memory *membudget.Reservation) (Value, error) {
		return decodeJSON(raw, memory)
	},
	"application/xml": func(raw []byte, _ map[string]string, memory *membudget.Reservation) (Value, error) {
		return decodeXML(raw, memory)
	},
	"application/x-www-form-urlencoded": func(raw []byte, _ map[string]string, memory *membudget.Reservation) (Value, error) {
		return decodeForm(raw, memory)
	},
	"multipart/form-data": func(raw []byte, params map[string]string, memory *membudget.Reservation) (Value, error) {
		return decodeMultipart(raw, params["boundary"], memory)
	},
}

// Decode reads the record in a body. Memory is reserved for each value. A body that is no
// record is a fault.Malformed, a content type that is not supported a 415.
func Decode(contentType string, raw []byte, memory *membudget.Reservation) (Value, error) {
	media, params, err := mime.ParseMediaType(contentType)
	decode := decoders[media]
	if err != nil || decode == nil {
		return Value{}, unsupported
	}
	v, err := decode(raw, params, memory)
	if err != nil {
		return Value{}, err
	}
	if v.Kind != Record {
		return Value{}, fault.New(fault.Malformed, "the body must be one record")
	}
	return unwrapped(v), nil
}

var unsupported = problem.Error{
	Status: http.StatusUnsupportedMediaType,
	Detail: "the body must be application/json, application/xml, application/x-www-form-urlencoded or multipart/form-data",
}

// unwrapped takes a record out of the response root, so that the body of a GET can be sent
// back.
func unwrapped(v Value) Value {
	if inner, ok := v.Fields["response"]; ok && len(v.Fields) == 1 && inner.Kind == Record {
		return inner
	}
	return v
}

// maxQuoted is how many characters of a body an error message repeats.
const maxQuoted = 80

// quoted is a part of a body as an error message repeats it.
func quoted(part string) string {
	if utf8.RuneCountInString(part) <= maxQuoted {
		return part
	}
	return string([]rune(part)[:maxQuoted]) + "…"
}

// invalidText replaces bytes that are not UTF-8: a character that no text may hold, so that
// the field is rejected by name.
var invalidText = []byte("\uFFFF")

// validUTF8 is a text with its invalid bytes replaced.
func validUTF8(s string) string { return strings.ToValidUTF8(s, string(invalidText)) }

package body

import (
	"mime"
	"net/http"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/domain/fault"
)

// Decode decodes the record in a body. A body that is not a record is a fault.Malformed, an
// unsupported content type a 415.
func Decode(contentType string, raw []byte) (Value, error) {
	decode := decoderOf(contentType)
	if decode == nil {
		return Value{}, unsupported
	}
	v, err := decode(raw)
	if err != nil {
		return Value{}, err
	}
	if v.Kind != Record {
		return Value{}, fault.New(fault.Malformed, "the body must be an object with the attributes of one record")
	}
	return unwrapped(v), nil
}

// decoderOf returns the decoder for a content type; nil if it is not supported.
func decoderOf(contentType string) func(raw []byte) (Value, error) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil
	}
	switch media {
	case "application/json":
		return decodeJSON
	case "application/xml":
		return decodeXML
	case "application/x-www-form-urlencoded":
		return decodeForm
	case "multipart/form-data":
		return func(raw []byte) (Value, error) {
			return decodeMultipart(raw, params["boundary"])
		}
	}
	return nil
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

func quoted(part string) string {
	if utf8.RuneCountInString(part) <= maxQuoted {
		return part
	}
	return string([]rune(part)[:maxQuoted]) + "…"
}

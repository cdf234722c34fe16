package body

import (
	"bytes"
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
		return func(raw []byte) (Value, error) { return decodeJSON(bytes.TrimPrefix(raw, byteOrderMark)) }
	case "application/xml", "text/xml":
		return func(raw []byte) (Value, error) { return decodeXML(bytes.TrimPrefix(raw, byteOrderMark)) }
	case "application/x-www-form-urlencoded":
		return decodeForm
	case "multipart/form-data":
		return func(raw []byte) (Value, error) {
			return decodeMultipart(raw, params["boundary"])
		}
	}
	return nil
}

var byteOrderMark = []byte("\xEF\xBB\xBF")

// MergePatch is the content type of a JSON Merge Patch (RFC 7396).
const MergePatch = "application/merge-patch+json"

// Accepted are the content types of a change.
const Accepted = "application/json, " + MergePatch + ", application/x-www-form-urlencoded, multipart/form-data, application/xml, text/xml"

var unsupported = problem.Error{
	Status: http.StatusUnsupportedMediaType,
	Detail: "the body must be application/json, application/xml, text/xml, application/x-www-form-urlencoded or multipart/form-data, " +
		"or in a PATCH " + MergePatch,
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

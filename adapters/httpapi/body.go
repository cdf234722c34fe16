package httpapi

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/membudget"
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

// maxValues is how many values a body may hold: a record or a list is one, and so
// is each in it. An invoice of 10,000 lines with all their attributes has fewer.
const maxValues = 100_000

// A value takes so many bytes beside its own, and a record so many more. That can
// be hundreds of times what it was sent in, which is why the size of a body alone
// does not bound what it costs.
const (
	valueSize  = 200
	recordSize = 800
)

// tally is how many values of a body were read, and what they take.
type tally struct {
	values int
	share  *membudget.Share
}

// value counts a value before anything is kept of it.
func (t *tally) value() error {
	if t.values == maxValues {
		return fault.New(fault.Malformed, "the body holds more than %d values", maxValues)
	}
	t.values++
	return t.share.Take(valueSize)
}

// record counts a value that is a record with something in it, beside value.
func (t *tally) record() error { return t.share.Take(recordSize) }

// bodyError is the refusal of a body that could not be received.
func bodyError(err error, limit int64) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return refusal{status: http.StatusRequestEntityTooLarge, detail: fmt.Sprintf("the body is larger than %d bytes", limit)}
	}
	if fault.As(err) != nil {
		return err
	}
	return fault.New(fault.Malformed, "the body could not be read to its end").Because(err)
}

// decodeBody reads the record in a body. The share takes room for what is made of
// it.
func decodeBody(contentType string, raw []byte, share *membudget.Share) (node, error) {
	n, err := decodeAs(contentType, raw, share)
	if err != nil {
		return node{}, err
	}
	if n.kind != record {
		return node{}, fault.New(fault.Malformed, "the body must be one record")
	}
	return unwrapped(n), nil
}

func decodeAs(contentType string, raw []byte, share *membudget.Share) (node, error) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		media = ""
	}
	switch media {
	case "application/json":
		return decodeJSON(raw, share)
	case "application/x-www-form-urlencoded":
		return decodeForm(raw, share)
	case "multipart/form-data":
		return decodeMultipart(raw, params["boundary"], share)
	case "application/xml":
		return decodeXML(raw, share)
	}
	return node{}, refusal{
		status: http.StatusUnsupportedMediaType,
		detail: "the body must be application/json, application/xml, application/x-www-form-urlencoded or multipart/form-data",
	}
}

func tooDeep() error {
	return fault.New(fault.Malformed, "the body is nested more than %d deep", maxDepth)
}

// maxQuoted is how many characters of a body a refusal repeats.
const maxQuoted = 80

// quoted is a part of a body as a refusal repeats it.
func quoted(part string) string {
	if utf8.RuneCountInString(part) <= maxQuoted {
		return part
	}
	return string([]rune(part)[:maxQuoted]) + "…"
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

// asText is a text that was sent, with what is no UTF-8 in it marked.
func asText(s string) string { return strings.ToValidUTF8(s, string(notText)) }

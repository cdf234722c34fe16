// Package problem turns an error into the problem document (RFC 9457) of its response.
package problem

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Error is an error that exists only in HTTP, such as 413.
type Error struct {
	Status     int
	Detail     string
	Allow      string // the methods of the path, if it does not have the requested one
	RetryAfter string // seconds to wait after too many requests
	Encoding   string // the content codings of bodies that are accepted, if the one that was sent is not
}

func (e Error) Error() string { return e.Detail }

// The types of problems that share their status with others.
const (
	// UnknownOutcome is the type for a write that may or may not have been stored.
	UnknownOutcome = "urn:kontor:outcome-unknown"
	// QueryTooSlow is the type for a query that takes too long, also when it is repeated.
	QueryTooSlow = "urn:kontor:query-too-slow"
)

// The content types of problem documents.
const (
	ContentTypeJSON = "application/problem+json; charset=utf-8"
	ContentTypeXML  = "application/problem+xml; charset=utf-8"
)

var statuses = map[fault.Kind]int{
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Malformed:       http.StatusBadRequest,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Stale:           http.StatusPreconditionFailed,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Conflict:        http.StatusConflict,
	fault.Dangling:        http.StatusUnprocessableEntity,
	fault.TooSlow:         http.StatusServiceUnavailable,
	fault.Throttled:       http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
	fault.OutcomeUnknown:  http.StatusServiceUnavailable,
}

// statusCodes are the codes of errors that exist only in HTTP, or are defects.
var statusCodes = map[int]fault.Code{
	http.StatusUnauthorized:          "unauthenticated",
	http.StatusMethodNotAllowed:      "method_not_allowed",
	http.StatusNotAcceptable:         "not_acceptable",
	http.StatusRequestEntityTooLarge: "body_too_large",
	http.StatusUnsupportedMediaType:  "unsupported_type",
	http.StatusTooManyRequests:       "throttled",
	http.StatusInternalServerError:   "internal",
}

// Codes are all codes of problems and of their fields, sorted.
var Codes = slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(slices.Clip(fault.Codes), maps.Values(statusCodes)))))

// types maps the kinds of fault to the types of their problems; others have about:blank.
var types = map[fault.Kind]string{
	fault.OutcomeUnknown: UnknownOutcome,
	fault.TooSlow:        QueryTooSlow,
}

// Document is a problem document. Message repeats Detail for clients older than RFC 9457.
type Document struct {
	XMLName   xml.Name `json:"-" xml:"urn:ietf:rfc:7807 problem"`
	Type      string   `json:"type" xml:"type"`
	Title     string   `json:"title" xml:"title"`
	Status    int      `json:"status" xml:"status"`
	Code      string   `json:"code" xml:"code"`
	Detail    string   `json:"detail" xml:"detail"`
	Message   string   `json:"message" xml:"message"`
	RequestID string   `json:"request_id" xml:"request_id"`
	Errors    Fields   `json:"errors,omitempty" xml:"errors,omitempty"`
	// References is how many records of each kind refer to the one that is in use.
	References References `json:"references,omitempty" xml:"references,omitempty"`
	Items      Items      `json:"items,omitempty" xml:"items,omitempty"`       // what a document lacks
	Verdicts   Verdicts   `json:"verdicts,omitempty" xml:"verdicts,omitempty"` // of a dry run
}

// Items are what a document lacks.
type Items []Item

// Item is one of them. Record is the path of the record to change, and Field its attribute.
type Item struct {
	Rule    string  `json:"rule" xml:"rule"`
	Term    *string `json:"term" xml:"term"`
	Record  string  `json:"record" xml:"record"`
	Field   string  `json:"field" xml:"field"`
	Message string  `json:"message" xml:"message"`
}

func itemOf(f fault.Lack) Item {
	i := Item{Rule: f.Rule, Record: "/rest/" + f.Record, Field: f.Field, Message: f.Message}
	if f.Term != "" {
		i.Term = &f.Term
	}
	return i
}

// MarshalXML implements xml.Marshaler, as that of Fields.
func (i Items) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return wrapped(e, start, "item", i)
}

// References are numbers of records by their kind.
type References map[string]int

// MarshalXML implements xml.Marshaler: it writes an element for each kind, in alphabetical order, and nothing if there is none.
func (r References) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	if len(r) == 0 {
		return nil
	}
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(r)) {
		if err := e.EncodeElement(r[kind], xml.StartElement{Name: xml.Name{Local: kind}}); err != nil {
			return err
		}
	}
	return e.EncodeToken(start.End())
}

// Fields are the rejected fields of a request.
type Fields []Field

// Field is one rejected field, or the record as a whole, whose name is empty. Rule is the name
// of the business rule that rejects it, if it is one. Resource and RecordID are the record that it
// is about, if that is not the one that was sent; a new record has no id.
type Field struct {
	Field    string `json:"field" xml:"field"`
	Code     string `json:"code" xml:"code"`
	Message  string `json:"message" xml:"message"`
	Rule     string `json:"rule,omitempty" xml:"rule,omitempty"`
	Resource string `json:"resource,omitempty" xml:"resource,omitempty"`
	RecordID int64  `json:"record_id,omitempty" xml:"record_id,omitempty"`
}

// MarshalXML implements xml.Marshaler: it wraps the fields in one element, and writes nothing
// if there are none.
func (f Fields) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return wrapped(e, start, "error", f)
}

// wrapped encodes the items as elements of one name within start, and nothing if there are none.
func wrapped[T any](e *xml.Encoder, start xml.StartElement, name string, items []T) error {
	if len(items) == 0 {
		return nil
	}
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	if err := e.EncodeElement(items, xml.StartElement{Name: xml.Name{Local: name}}); err != nil {
		return err
	}
	return e.EncodeToken(start.End())
}

// Verdicts are those of the rules that a dry run has evaluated.
type Verdicts []Verdict

// Verdict is that of one rule. Field, Message, Resource and RecordID are of its first refusal, as in Field.
type Verdict struct {
	Rule     string `json:"rule" xml:"rule"`
	Mode     string `json:"mode" xml:"mode"`
	Outcome  string `json:"outcome" xml:"outcome"`
	Field    string `json:"field,omitempty" xml:"field,omitempty"`
	Message  string `json:"message,omitempty" xml:"message,omitempty"`
	Resource string `json:"resource,omitempty" xml:"resource,omitempty"`
	RecordID int64  `json:"record_id,omitempty" xml:"record_id,omitempty"`
}

// VerdictOf returns the verdict of a rule.
func VerdictOf(v rule.Verdict) Verdict {
	shown := Verdict{Rule: v.Rule, Mode: v.Mode.String(), Outcome: v.Outcome.String(), Message: v.Message()}
	if len(v.Fields) > 0 {
		f := fieldOf(v.Fields[0])
		shown.Field, shown.Resource, shown.RecordID = f.Field, f.Resource, f.RecordID
	}
	return shown
}

// MarshalXML implements xml.Marshaler, as that of Fields.
func (v Verdicts) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return wrapped(e, start, "verdict", v)
}

// AddTo returns the body of a successful response in JSON, {"response":…}, with the verdicts beside the response.
func (v Verdicts) AddTo(body []byte) []byte {
	return slices.Concat(body[:len(body)-1], []byte(`,"verdicts":`), encodeJSON(v), []byte("}"))
}

// AddToXML returns the body of a successful response in XML, with the verdicts as its last element.
func (v Verdicts) AddToXML(body []byte) []byte {
	const end = "</response>"
	var b bytes.Buffer
	_ = xml.NewEncoder(&b).EncodeElement(v, xml.StartElement{Name: xml.Name{Local: "verdicts"}}) // cannot fail
	return slices.Concat(bytes.TrimSuffix(body, []byte(end)), b.Bytes(), []byte(end))
}

// Of returns the document for an error, without a request id. unexpected reports whether the
// cause has to be logged.
func Of(err error) (d Document, unexpected bool) {
	d.Type = "about:blank"
	httpError, isHTTP := errors.AsType[Error](err)
	switch f := fault.As(err); {
	case isHTTP:
		d.Status, d.Code, d.Detail = httpError.Status, string(statusCodes[httpError.Status]), httpError.Detail
	case f != nil:
		d.Status, d.Code, d.Detail, d.References = statuses[f.Kind], string(f.CodeOf()), f.Message, f.References
		unexpected = f.Cause != nil && d.Status >= 500
		if uri, ok := types[f.Kind]; ok {
			d.Type = uri
		}
		for _, lack := range f.Lacks {
			d.Items = append(d.Items, itemOf(lack))
		}
		for _, field := range f.Fields {
			if f.Kind == fault.Conflict || d.Status == http.StatusUnprocessableEntity || field.Rule != "" {
				d.Errors = append(d.Errors, fieldOf(field))
			}
		}
	case errors.Is(err, context.DeadlineExceeded):
		d.Status, d.Code, d.Detail = http.StatusServiceUnavailable, "unavailable", "the request took too long; try again"
		unexpected = true
	default:
		d.Status, d.Detail = http.StatusInternalServerError, "internal error; the log has the cause under the request id"
		d.Code = string(statusCodes[d.Status])
		unexpected = true
	}
	d.Title = http.StatusText(d.Status)
	d.Message = d.Detail
	return d, unexpected
}

func fieldOf(f fault.Field) Field {
	shown := Field{Field: f.Name, Code: string(f.CodeOf()), Message: f.Message, Rule: f.Rule, Resource: f.Resource}
	if f.RecordID < readmodel.FirstPlaceholder || f.RecordID >= readmodel.EndPlaceholder { // others are of a dry run
		shown.RecordID = f.RecordID
	}
	return shown
}

// Rewrite changes all texts that may repeat what was sent.
func (d *Document) Rewrite(change func(string) string) {
	d.Detail, d.Message = change(d.Detail), change(d.Message)
	for i := range d.Errors {
		d.Errors[i].Field, d.Errors[i].Message = change(d.Errors[i].Field), change(d.Errors[i].Message)
	}
}

// JSON encodes the document.
func (d Document) JSON() []byte { return encodeJSON(d) }

func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // strings and numbers only: cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// XML encodes the document.
func (d Document) XML() []byte {
	b := bytes.NewBufferString(xml.Header)
	_ = xml.NewEncoder(b).Encode(d) // strings and numbers only: cannot fail
	return b.Bytes()
}

package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/domain/fault"
)

// refusal is an answer that HTTP alone gives a reason for.
type refusal struct {
	status int
	detail string
	allow  string // the methods that the path has, if it lacks this one
	wait   string // how many seconds to wait, if the caller asks too often
}

func (r refusal) Error() string { return r.detail }

// unknownOutcome is the type of the problem that a write may or may not have
// been stored.
const unknownOutcome = "urn:kontor:outcome-unknown"

// retryAfter is how many seconds a caller should wait when the database is away.
const retryAfter = "1"

// statuses are the statuses of the kinds of refusal.
var statuses = map[fault.Kind]int{
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Malformed:       http.StatusBadRequest,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Stale:           http.StatusPreconditionFailed,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Conflict:        http.StatusConflict,
	fault.Dangling:        http.StatusUnprocessableEntity,
	fault.Unavailable:     http.StatusServiceUnavailable,
	fault.OutcomeUnknown:  http.StatusServiceUnavailable,
}

// problem is a problem document as RFC 9457 has it. message repeats detail for
// readers older than that.
type problem struct {
	XMLName   xml.Name      `json:"-" xml:"urn:ietf:rfc:7807 problem"`
	Type      string        `json:"type" xml:"type"`
	Title     string        `json:"title" xml:"title"`
	Status    int           `json:"status" xml:"status"`
	Detail    string        `json:"detail" xml:"detail"`
	Message   string        `json:"message" xml:"message"`
	RequestID string        `json:"request_id" xml:"request_id"`
	Errors    problemErrors `json:"errors,omitempty" xml:"errors,omitempty"`
}

type problemErrors []problemField

// MarshalXML puts the fields into one element, which encoding/xml would write
// even if there are none.
func (p problemErrors) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	if len(p) == 0 {
		return nil
	}
	return e.EncodeElement(struct {
		Field []problemField `xml:"error"`
	}{p}, start)
}

type problemField struct {
	Field   string `json:"field" xml:"field"`
	Message string `json:"message" xml:"message"`
}

// problemOf is the one place where an error becomes an answer. unexpected tells
// that the cause belongs in the log.
func problemOf(err error) (p problem, unexpected bool) {
	p.Type = "about:blank"
	httpError, isHTTP := errors.AsType[refusal](err)
	switch f := fault.As(err); {
	case isHTTP:
		p.Status, p.Detail = httpError.status, httpError.detail
	case f != nil:
		p.Status, p.Detail = statuses[f.Kind], f.Message
		unexpected = f.Cause != nil && p.Status >= 500
		if f.Kind == fault.OutcomeUnknown {
			p.Type = unknownOutcome
		}
		if p.Status == http.StatusUnprocessableEntity {
			for _, field := range f.Fields {
				p.Errors = append(p.Errors, problemField{Field: field.Name, Message: field.Message})
			}
		}
	case errors.Is(err, context.DeadlineExceeded):
		p.Status, p.Detail = http.StatusServiceUnavailable, "the request took too long; try again"
		unexpected = true
	default:
		p.Status, p.Detail = http.StatusInternalServerError, "something went wrong here; the log knows it by the request id"
		unexpected = true
	}
	p.Title = http.StatusText(p.Status)
	p.Message = p.Detail
	return p, unexpected
}

// refuse answers with the problem that the error is.
func (api *API) refuse(g *gin.Context, f format, err error) {
	err = whyCutOff(g.Request.Context(), err)
	p, unexpected := problemOf(err)
	p.RequestID = requestID(g)
	if unexpected {
		watchedBy(g).failed(g.Request.Context(), err)
	}
	header := g.Writer.Header()
	header["Vary"] = api.vary()
	if httpError, ok := errors.AsType[refusal](err); ok {
		setIf(header, "Allow", httpError.allow)
		setIf(header, "Retry-After", httpError.wait)
	}
	switch p.Status {
	case http.StatusUnauthorized:
		header.Set("WWW-Authenticate", `Bearer realm="kontor"`)
	case http.StatusServiceUnavailable:
		header.Set("Retry-After", retryAfter)
	}
	body, contentType := p.encode(f)
	g.Data(p.Status, contentType, body)
}

func (p problem) encode(f format) (body []byte, contentType string) {
	var b bytes.Buffer
	if f == xmlFormat {
		b.WriteString(xml.Header)
		// Neither encoding can fail: the document is text and numbers.
		_ = xml.NewEncoder(&b).Encode(p)
		return b.Bytes(), "application/problem+xml; charset=utf-8"
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(p)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), "application/problem+json; charset=utf-8"
}

// noRoute answers for a path that is not served. Below /rest/ a token comes
// first, so that nobody learns from outside what there is.
func (api *API) noRoute(g *gin.Context) {
	if f, err := api.stranger(g); err != nil {
		api.refuse(g, f, err)
		return
	}
	api.refuse(g, api.strangerFormat(g), fault.New(fault.NotFound, "there is no such path"))
}

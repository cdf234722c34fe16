package body

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/domain/fault"
)

// Check rejects a body by its headers, before it is received: a declared length beyond the
// limit is a 413, an unsupported content type a 415. A length of -1 is unknown: the body may
// be too large or empty.
func Check(length, limit int64, contentType string) error {
	switch {
	case length > limit:
		return TooLarge(limit)
	case length > 0 && decoderOf(contentType) == nil:
		return unsupported
	}
	return nil
}

// CheckEncoding rejects a body that is compressed, by its Content-Encoding.
func CheckEncoding(codings []string) error {
	for coding := range strings.SplitSeq(strings.Join(codings, ","), ",") {
		if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
			return problem.Error{
				Status: http.StatusUnsupportedMediaType, Encoding: "identity",
				Detail: "the body must not be compressed: send it without Content-Encoding",
			}
		}
	}
	return nil
}

// TooLarge is the 413 of a body with more bytes than the limit.
func TooLarge(limit int64) error {
	return problem.Error{Status: http.StatusRequestEntityTooLarge, Detail: fmt.Sprintf("the body is larger than %d bytes", limit)}
}

// Receive reads a body to its end. More than limit bytes are a 413.
func Receive(from io.ReadCloser, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(nil, from, limit))
	if err == nil {
		return raw, nil
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, TooLarge(limit)
	}
	if fault.As(err) != nil {
		return nil, err
	}
	return nil, fault.New(fault.Malformed, "the body could not be read to its end").WithCause(err)
}

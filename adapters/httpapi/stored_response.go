package httpapi

import (
	"encoding/binary"
	"errors"
	"math"
)

// encodedResponse is a response as it is sent.
type encodedResponse struct {
	Status      int
	Location    string
	ContentType string
	ETag        string
	Body        []byte
}

// storedVersion is the first byte of a stored response. A change of the encoding
// takes the next one, and reads the version before for as long as such responses
// are stored.
const storedVersion = 1

var errStoredResponse = errors.New("the stored response of an idempotency key cannot be read")

// stored is the response as it is stored under an idempotency key: the version,
// the status, each header behind its length, the body.
func (r encodedResponse) stored() []byte {
	bytes := make([]byte, 0, 1+4*binary.MaxVarintLen32+len(r.Location)+len(r.ContentType)+len(r.ETag)+len(r.Body))
	bytes = append(bytes, storedVersion)
	bytes = binary.AppendUvarint(bytes, uint64(r.Status))
	for _, header := range []string{r.Location, r.ContentType, r.ETag} {
		bytes = binary.AppendUvarint(bytes, uint64(len(header)))
		bytes = append(bytes, header...)
	}
	return append(bytes, r.Body...)
}

// parseStored reads what stored has written.
func parseStored(bytes []byte) (*encodedResponse, error) {
	if len(bytes) == 0 || bytes[0] != storedVersion {
		return nil, errStoredResponse
	}
	rest := bytes[1:]
	status, n := binary.Uvarint(rest)
	if n <= 0 || status > math.MaxInt16 {
		return nil, errStoredResponse
	}
	rest = rest[n:]
	r := &encodedResponse{Status: int(status)}
	for _, header := range []*string{&r.Location, &r.ContentType, &r.ETag} {
		length, n := binary.Uvarint(rest)
		if n <= 0 || length > uint64(len(rest)-n) {
			return nil, errStoredResponse
		}
		end := n + int(length)
		*header, rest = string(rest[n:end]), rest[end:]
	}
	r.Body = rest
	return r, nil
}

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
	Disposition string // of a file; not stored
	Link        string // of a document; not stored
	Policy      string // Content-Security-Policy of a document in HTML; not stored
	Warnings    string
	Body        []byte
}

// The first byte of a stored response. A change of the encoding takes the next one, and
// reads the version before for as long as such responses are stored; 1 and 2 were never released.
const storedVersion = 3

var errStoredResponse = errors.New("the stored response of an idempotency key cannot be read")

// stored returns the response as it is stored under an idempotency key: the version, the
// status, each header behind its length, the body.
func (r encodedResponse) stored() []byte {
	bytes := make([]byte, 0, 1+5*binary.MaxVarintLen32+len(r.Location)+len(r.ContentType)+len(r.ETag)+len(r.Warnings)+len(r.Body))
	bytes = append(bytes, storedVersion)
	bytes = binary.AppendUvarint(bytes, uint64(r.Status))
	for _, header := range []string{r.Location, r.ContentType, r.ETag, r.Warnings} {
		bytes = appendText(bytes, header)
	}
	return append(bytes, r.Body...)
}

func appendText(bytes []byte, text string) []byte {
	return append(binary.AppendUvarint(bytes, uint64(len(text))), text...)
}

func parseStored(bytes []byte) (*encodedResponse, error) {
	if len(bytes) == 0 || bytes[0] != storedVersion {
		return nil, errStoredResponse
	}
	rest := storedBytes{bytes: bytes[1:]}
	r := &encodedResponse{
		Status: rest.number(math.MaxInt16), Location: rest.text(), ContentType: rest.text(), ETag: rest.text(), Warnings: rest.text(),
	}
	if rest.failed {
		return nil, errStoredResponse
	}
	r.Body = rest.bytes
	return r, nil
}

// storedBytes are those of a stored response that are not read yet.
type storedBytes struct {
	bytes  []byte
	failed bool // what was read is not what stored has written
}

// number reads a number up to a maximum.
func (b *storedBytes) number(most int) int {
	value, n := binary.Uvarint(b.bytes)
	if b.failed || n <= 0 || value > uint64(most) {
		b.failed = true
		return 0
	}
	b.bytes = b.bytes[n:]
	return int(value)
}

func (b *storedBytes) text() string {
	length := b.number(math.MaxInt32)
	if length > len(b.bytes) {
		b.failed = true
	}
	if b.failed {
		return ""
	}
	text := string(b.bytes[:length])
	b.bytes = b.bytes[length:]
	return text
}

package httpapi

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

const (
	idempotencyKey = "Idempotency-Key"
	replayed       = "Idempotent-Replayed"
	maxKey         = 255
)

// once is what makes this creation happen only once; nil if the caller does not
// ask for that.
func (c *call) once() (*command.Once, error) {
	values := c.http.Header.Values(idempotencyKey)
	if len(values) == 0 {
		return nil, nil
	}
	key := strings.Join(values, ", ")
	invisible := func(r rune) bool { return r <= ' ' || r > '~' }
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, invisible) {
		return nil, fault.ForField(fault.Malformed, idempotencyKey, "must have 1 to %d visible ASCII characters", maxKey)
	}
	return &command.Once{
		AnswerKey:   repository.AnswerKey{UserID: c.actor.UserID, Path: c.route.path, Key: key},
		Fingerprint: c.body.fingerprint(),
	}, nil
}

// fingerprint tells the record in a body from others. It does not depend on the
// order of attributes or on what stands between them, such as the boundary of a
// form that a program draws anew each time that it sends it.
func (n node) fingerprint() (sum [sha256.Size]byte) {
	h := sha256.New()
	n.feed(h)
	h.Sum(sum[:0])
	return sum
}

// feed gives every part its length, so that no two records give the same bytes.
func (n node) feed(h hash.Hash) {
	put := func(s string) {
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(s)))) // a hash never fails
		_, _ = h.Write([]byte(s))
	}
	put(string([]byte{byte(n.kind)}))
	put(n.text)
	_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(n.items))))
	for _, item := range n.items {
		item.feed(h)
	}
	_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(n.fields))))
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		put(name)
		n.fields[name].feed(h)
	}
}

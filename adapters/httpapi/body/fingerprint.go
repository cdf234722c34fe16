package body

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"slices"
)

// Fingerprint returns a hash of the record in a body. It depends neither on the order of
// fields nor on the encoding, such as the boundary of a multipart form.
func (v Value) Fingerprint() (sum [sha256.Size]byte) {
	h := sha256.New()
	v.feed(h)
	h.Sum(sum[:0])
	return sum
}

// feed prefixes each part with its length, so that no two records give the same bytes.
func (v Value) feed(h hash.Hash) {
	count := func(n int) { _, _ = h.Write(binary.AppendUvarint(nil, uint64(n))) } // a hash never fails
	put := func(s string) {
		count(len(s))
		_, _ = h.Write([]byte(s))
	}
	put(string([]byte{byte(v.Kind)}))
	put(v.Text)
	count(len(v.Items))
	for _, item := range v.Items {
		item.feed(h)
	}
	count(len(v.Fields))
	for _, name := range slices.Sorted(maps.Keys(v.Fields)) {
		put(name)
		v.Fields[name].feed(h)
	}
}

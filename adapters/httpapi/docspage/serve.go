package docspage

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// ServeHTTP answers with the page itself.
func (p Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", Policy)
	p.index.write(w, r)
}

// File is one of those that the page loads.
type File struct {
	Path     string // on the service, with a part that changes with the contents
	media    string
	stored   []byte
	isPacked bool // stored is gzip
}

// ServeHTTP answers with the file.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	f.write(w, r)
}

// write sends the file packed, if it is stored so and the caller can read it.
func (f File) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.media)
	h.Set("Referrer-Policy", "no-referrer")
	if f.isPacked {
		h.Add("Vary", "Accept-Encoding")
	}
	if f.isPacked && !unpacks(r.Header) {
		f.unpack(w, r)
		return
	}
	if f.isPacked {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(f.stored)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(f.stored) // a caller that is gone needs no answer
	}
}

// unpack sends what a packed file holds.
func (f File) unpack(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	content, err := gzip.NewReader(bytes.NewReader(f.stored))
	if err != nil {
		panic(err) // the program was built with it
	}
	_, _ = io.Copy(w, content) //nolint:gosec // what the program was built with does not grow; a caller may be gone
}

// unpacks tells whether the caller reads gzip.
func unpacks(h http.Header) bool {
	for part := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return !isZero(weight)
		}
	}
	return false
}

// isZero tells whether the parameter of a coding says that it is not wanted.
func isZero(weight string) bool {
	name, value, _ := strings.Cut(weight, "=")
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return strings.EqualFold(strings.TrimSpace(name), "q") && err == nil && q == 0
}

package docspage

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// ServeHTTP serves the page.
func (p Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", policy)
	p.index.write(w, r)
}

// File is a file that the page loads.
type File struct {
	Path         string // of the URL, with a hash of the contents
	media        string
	stored       []byte
	isCompressed bool // stored is gzip
}

// ServeHTTP serves the file.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	f.write(w, r)
}

// write sends the file, compressed if it is stored compressed and the client accepts it.
func (f File) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.media)
	h.Set("Referrer-Policy", "no-referrer")
	if f.isCompressed {
		h.Add("Vary", "Accept-Encoding")
	}
	if f.isCompressed && !acceptsGzip(r.Header) {
		f.writeDecompressed(w, r)
		return
	}
	if f.isCompressed {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(f.stored)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(f.stored) // the client may have closed the connection
	}
}

func (f File) writeDecompressed(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	content, err := gzip.NewReader(bytes.NewReader(f.stored))
	if err != nil {
		panic(err) // an embedded file is valid
	}
	_, _ = io.Copy(w, content) //nolint:gosec // an embedded file has a known size; the client may have closed the connection
}

func acceptsGzip(h http.Header) bool {
	for part := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return !isZero(weight)
		}
	}
	return false
}

func isZero(weight string) bool {
	name, value, _ := strings.Cut(weight, "=")
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return strings.EqualFold(strings.TrimSpace(name), "q") && err == nil && q == 0
}

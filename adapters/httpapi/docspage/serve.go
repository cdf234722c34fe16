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
	content := f.stored
	if f.isCompressed {
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
		} else {
			content = decompressed(content)
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content) // the client may have closed the connection
}

func decompressed(stored []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(stored))
	if err != nil {
		panic(err) // an embedded file is valid
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		panic(err)
	}
	return content
}

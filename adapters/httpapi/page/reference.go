package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/swaggest/swgui/v5/static"
)

// ReferencePath is the path of the reference page.
const ReferencePath = "/docs"

// referencePolicy is the Content-Security-Policy of the reference page: only its own files, and requests to
// the service. Swagger UI sets styles by script, which style-src does not forbid, and its
// images are data URLs in its stylesheet.
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

//go:embed reference
var referenceFiles embed.FS

// mediaTypes are fixed, independent of those of the machine.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".png":  "image/png",
}

// Reference is the page of the API reference, which renders the OpenAPI document, and the files that
// it loads.
//
// Chose: Swagger UI. Because: it can send requests, and a Go module embeds its released files.
// Costs: half a megabyte of the program. Its own page has an inline script, which a strict
// Content-Security-Policy forbids, so the page, its script and its style are in reference.
//
// The links of the page are relative, so that it also works behind a proxy that removes a
// path prefix.
type Reference struct {
	index ReferenceFile
	Files []ReferenceFile
}

// LoadReference loads the page. The paths of its files contain a hash of all of them, so that they
// can be cached forever.
var LoadReference = sync.OnceValue(func() Reference {
	files := []ReferenceFile{
		read(referenceFiles, "reference/page.js"),
		read(referenceFiles, "reference/page.css"),
		read(static.FS, "swagger-ui-bundle.js.gz"),
		read(static.FS, "swagger-ui.css.gz"),
		read(static.FS, "favicon-32x32.png"),
	}
	sum := sha256.New()
	for _, f := range files {
		sum.Write(f.stored)
	}
	folder := ReferencePath + "/assets/" + hex.EncodeToString(sum.Sum(nil)[:6])
	for i := range files {
		files[i].Path = folder + "/" + files[i].Path
	}
	index := read(referenceFiles, "reference/index.html")
	index.stored = bytes.ReplaceAll(index.stored, []byte("ASSETS"), []byte(strings.TrimPrefix(folder, "/")))
	return Reference{index: index, Files: files}
})

// Icon returns the icon of the page, for browsers that request it at its usual path.
func (r Reference) Icon() ReferenceFile { return r.Files[len(r.Files)-1] }

// read returns an embedded file. Path is only its name, without the folder and the suffix .gz.
func read(from fs.ReadFileFS, name string) ReferenceFile {
	stored, err := from.ReadFile(name)
	if err != nil {
		panic(err) // the file is embedded
	}
	f := ReferenceFile{stored: stored}
	f.Path, f.isCompressed = strings.CutSuffix(path.Base(name), ".gz")
	f.media = mediaTypes[path.Ext(f.Path)]
	return f
}

// ServeHTTP serves the page.
func (r Reference) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	w.Header().Set("Content-Security-Policy", referencePolicy)
	r.index.write(w, request)
}

// ReferenceFile is a file that the reference page loads.
type ReferenceFile struct {
	Path         string // of the URL, with a hash of the contents
	media        string
	stored       []byte
	isCompressed bool // stored is gzip
}

// ServeHTTP serves the file.
func (f ReferenceFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	f.write(w, r)
}

// write sends the file, compressed if it is stored compressed and the client accepts it.
func (f ReferenceFile) write(w http.ResponseWriter, r *http.Request) {
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

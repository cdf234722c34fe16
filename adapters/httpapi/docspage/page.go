// Package docspage serves the documentation page, which renders the OpenAPI document, and
// the files that it loads.
//
// Chose: Swagger UI. Because: it can send requests, and a Go module embeds its released files.
// Costs: half a megabyte of the program. Its own page has an inline script, which a strict
// Content-Security-Policy forbids, so the page, its script and its style are here.
//
// The links of the page are relative, so that it also works behind a proxy that removes a
// path prefix.
package docspage

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/swaggest/swgui/v5/static"
)

// Path is the path of the page.
const Path = "/docs"

// policy is the Content-Security-Policy of the page: only its own files, and requests to
// the service. Swagger UI sets styles by script, which style-src does not forbid, and its
// images are data URLs in its stylesheet.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

//go:embed index.html page.js page.css
var own embed.FS

// mediaTypes are fixed, independent of those of the machine.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".png":  "image/png",
}

// Page is the page and its files.
type Page struct {
	index File
	Files []File
}

// Load loads the page. The paths of its files contain a hash of all of them, so that they
// can be cached forever.
var Load = sync.OnceValue(func() Page {
	files := []File{
		read(own, "page.js"),
		read(own, "page.css"),
		read(static.FS, "swagger-ui-bundle.js.gz"),
		read(static.FS, "swagger-ui.css.gz"),
		read(static.FS, "favicon-32x32.png"),
	}
	sum := sha256.New()
	for _, f := range files {
		sum.Write(f.stored)
	}
	folder := Path + "/assets/" + hex.EncodeToString(sum.Sum(nil)[:6])
	for i := range files {
		files[i].Path = folder + "/" + files[i].Path
	}
	index := read(own, "index.html")
	index.stored = bytes.ReplaceAll(index.stored, []byte("ASSETS"), []byte(strings.TrimPrefix(folder, "/")))
	return Page{index: index, Files: files}
})

// Icon returns the icon of the page, for browsers that request it at its usual path.
func (p Page) Icon() File { return p.Files[len(p.Files)-1] }

// read returns an embedded file. Path is only its name, without the suffix .gz.
func read(from fs.ReadFileFS, name string) File {
	stored, err := from.ReadFile(name)
	if err != nil {
		panic(err) // the file is embedded
	}
	f := File{stored: stored}
	f.Path, f.isCompressed = strings.CutSuffix(name, ".gz")
	f.media = mediaTypes[path.Ext(f.Path)]
	return f
}

// Package docspage holds the page that shows the OpenAPI document to people, and
// all that it loads.
//
// Chose Swagger UI, because it tries out requests, and because a Go module embeds
// its files as they were released; costs half a megabyte of the program. Its own
// page has its script inside, which a strict policy forbids: the page, its script
// and its style are here instead.
//
// The page names its files and the document relative to its own address, so that
// it also works below a path that a proxy takes away.
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

// Path is where the page has to be served.
const Path = "/docs"

// Policy is the Content-Security-Policy of the page: nothing but its own files,
// and no requests but to the service. Swagger UI sets styles by script, which
// style-src does not forbid, and its pictures are data in its stylesheet.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

//go:embed index.html page.js page.css
var own embed.FS

// mediaTypes do not depend on what the machine knows.
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

// Load puts the page together. Its files have a path that changes when one of
// them does, so that they may be kept for good.
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

// read is a file of the binary. Path is its name yet, without the suffix of a
// packed one.
func read(from fs.ReadFileFS, name string) File {
	stored, err := from.ReadFile(name)
	if err != nil {
		panic(err) // the program was built with it
	}
	f := File{stored: stored}
	f.Path, f.isPacked = strings.CutSuffix(name, ".gz")
	f.media = mediaTypes[path.Ext(f.Path)]
	return f
}

package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// encoder writes rows in one format. Both encoders walk the same selection, so
// that JSON and XML show the same.
type encoder interface {
	list(rows *readmodel.Rows, shape *readmodel.Selection)
	record(rows *readmodel.Rows, shape *readmodel.Selection)
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// render writes the answer.
func (api *API) render(g *gin.Context, c *call, a *answer) {
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	var e encoder = &jsonEncoder{buffer}
	contentType := contentTypeJSON
	if c.format == xmlFormat {
		e, contentType = &xmlEncoder{buffer}, contentTypeXML
	}
	h := g.Writer.Header()
	h.Set("Content-Type", contentType)
	h.Set("Vary", api.vary())
	h.Set("Cache-Control", "private, no-cache")
	if a.location != "" {
		h.Set("Location", a.location)
	}
	status := http.StatusOK
	if a.isList {
		e.list(a.rows, a.shape)
		if a.page.Size > 0 {
			paginate(h, c.links, a.page, a.rows.Total)
		}
	} else {
		e.record(a.rows, a.shape)
		if !a.unmarked && mark(h, a, buffer.Bytes(), c.http) {
			g.Status(http.StatusNotModified)
			h.Del("Content-Type")
			g.Writer.WriteHeaderNow()
			return
		}
	}
	h.Set("Content-Length", strconv.Itoa(buffer.Len()))
	g.Status(status)
	_, _ = g.Writer.Write(buffer.Bytes())
}

// mark sets the record's ETag, and tells whether the caller has it already.
func mark(h http.Header, a *answer, body []byte, r *http.Request) (same bool) {
	version, _ := a.rows.Cell(0, a.shape.Version)
	sum := sha256.Sum256(body)
	tag := `"` + string(version) + "-" + hex.EncodeToString(sum[:8]) + `"`
	h.Set("ETag", tag)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for known := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		known = strings.TrimSpace(known)
		if known == "*" || strings.TrimPrefix(known, "W/") == tag {
			return true
		}
	}
	return false
}

// versionOf is the version that an ETag begins with.
func versionOf(tag string) (version int64, ok bool) {
	tag = strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
	text, _, _ := strings.Cut(tag, "-")
	version, err := strconv.ParseInt(text, 10, 64)
	return version, err == nil
}

// justID is the shape and the row of a record of which only the id is left.
func justID(id int64) (*readmodel.Selection, *readmodel.Rows) {
	shape := &readmodel.Selection{
		Paths: []string{"id"},
		Nodes: []readmodel.Node{{Attribute: &readmodel.Attribute{Name: "id", Kind: readmodel.ID}}},
		Type:  -1,
	}
	rows := readmodel.NewRows(1)
	rows.Append(strconv.AppendInt(nil, id, 10))
	return shape, rows
}

// shown is the text of a cell as an answer shows it: times to the second,
// quantities without trailing zeros.
func shown(kind readmodel.Kind, cell []byte) []byte {
	switch kind {
	case readmodel.Time:
		const seconds = len("2006-01-02 15:04:05")
		return cell[:min(len(cell), seconds)]
	case readmodel.Quantity:
		if bytes.IndexByte(cell, '.') < 0 {
			return cell
		}
		return bytes.TrimSuffix(bytes.TrimRight(cell, "0"), []byte("."))
	}
	return cell
}

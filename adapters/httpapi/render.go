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

	"github.com/kontor-crm/kontor/adapters/httpapi/encode"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// mostKept is for how many bytes a buffer may have room that is used again.
const mostKept = 1 << 20

// render writes the answer.
func (api *API) render(g *gin.Context, c *call, a *answer) {
	sent := a.sent
	if sent == nil {
		buffer := buffers.Get().(*bytes.Buffer)
		defer func() {
			if buffer.Cap() <= mostKept {
				buffers.Put(buffer)
			}
		}()
		buffer.Reset()
		encoded := c.encode(a, buffer)
		sent = &encoded
	}
	h := g.Writer.Header()
	h["Vary"] = api.vary()
	setIf(h, "Location", sent.Location)
	setIf(h, "ETag", sent.ETag)
	if a.isReplayed {
		h.Set(replayed, "true")
	}
	if a.isList && a.page.Size > 0 {
		paginate(h, c.links(), a.page, a.rows)
	}
	if a.rows != nil {
		a.rows.Release()
	}
	// What is left is to hand it over, however long the caller takes.
	c.memory.Set(len(sent.Body))
	c.leave()
	if sent.ETag != "" && isKnown(sent.ETag, c.http) {
		g.Status(http.StatusNotModified)
		g.Writer.WriteHeaderNow()
		return
	}
	h.Set("Content-Type", sent.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(sent.Body)))
	g.Status(sent.Status)
	_, _ = g.Writer.Write(sent.Body)
}

// setIf sets a header that has a value.
func setIf(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// encode writes the answer into the buffer, in the format of the call.
func (c *call) encode(a *answer, buffer *bytes.Buffer) encodedResponse {
	e := encode.JSON(buffer)
	sent := encodedResponse{Status: http.StatusOK, ContentType: contentTypeJSON, Location: a.location}
	if c.format == xmlFormat {
		e, sent.ContentType = encode.XML(buffer), contentTypeXML
	}
	if a.isList {
		e.List(a.rows, a.shape)
	} else {
		e.Record(a.rows, a.shape)
	}
	sent.Body = buffer.Bytes()
	if !a.isList && !a.unmarked {
		sent.ETag = tagOf(a, sent.Body)
	}
	return sent
}

// tagOf is the record's ETag: its version, and what tells one body of it from
// another.
func tagOf(a *answer, body []byte) string {
	version, _ := a.rows.Cell(0, a.shape.Version)
	sum := sha256.Sum256(body)
	return `"` + string(version) + "-" + hex.EncodeToString(sum[:8]) + `"`
}

// isKnown tells whether the caller of a GET has the body with the tag already.
func isKnown(tag string, r *http.Request) bool {
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

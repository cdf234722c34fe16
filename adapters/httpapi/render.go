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
	"github.com/kontor-crm/kontor/adapters/httpapi/page"
	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is the capacity, in bytes, up to which a buffer is reused.
const maxPooled = 1 << 20

func (api *API) render(g *gin.Context, c *call, a *response) {
	sent := a.sent
	if sent == nil {
		buffer := buffers.Get().(*bytes.Buffer)
		defer func() {
			if buffer.Cap() <= maxPooled {
				buffers.Put(buffer)
			}
		}()
		buffer.Reset()
		encoded := c.encode(a, buffer)
		sent = &encoded
		if err := c.hold(len(sent.Body)); err != nil {
			c.pause()
			api.sendProblem(g, c.format, err)
			return
		}
	}
	if verdicts := c.verdicts(); verdicts != nil {
		sent = withVerdicts(*sent, verdicts, c.format)
	}
	h := g.Writer.Header()
	c.setHeaders(h, a, sent)
	if a.sent == nil && a.rows != nil {
		a.rows.Release() // now that paginate has read them: other requests reuse their memory
	}
	c.pause() // the client may take any time to receive the response
	if known := knownTag(sent.ETag, c.http); known != "" {
		h.Set("ETag", known)
		g.Status(http.StatusNotModified)
		g.Writer.WriteHeaderNow()
		return
	}
	c.setContentHeaders(h, sent)
	g.Status(sent.Status)
	_, _ = g.Writer.Write(sent.Body)
}

// setHeaders sets those that the response has with or without a body.
func (c *call) setHeaders(h http.Header, a *response, sent *encodedResponse) {
	h["Vary"] = c.api.vary()
	setIf(h, "Location", sent.Location)
	setIf(h, "ETag", sent.ETag)
	setIf(h, "Content-Security-Policy", sent.Policy)
	setIf(h, "Link", sent.Link)
	if sent.Warnings != "" {
		h[warningHeader] = []string{strings.Join(append(h[warningHeader], sent.Warnings), ", ")}
	}
	if a.isReplayed {
		h.Set(replayed, "true")
	}
	if a.isDryRun {
		h.Set(preferenceApplied, dryRun)
	}
	if a.isList && a.page.Size > 0 {
		paginate(h, c.links(), a.page, a.rows)
	}
}

func (c *call) setContentHeaders(h http.Header, sent *encodedResponse) {
	h.Set("Content-Type", sent.ContentType)
	switch {
	case sent.Disposition != "":
		h.Set("Content-Disposition", sent.Disposition)
	case c.format == csvFormat:
		h.Set("Content-Disposition", c.fileName())
	case c.format == htmlFormat:
		setPageHeaders(h)
	}
	h.Set("Content-Length", strconv.Itoa(len(sent.Body)))
}

func withVerdicts(sent encodedResponse, verdicts problem.Verdicts, f format) *encodedResponse {
	if f == xmlFormat {
		sent.Body = verdicts.AddToXML(sent.Body)
	} else {
		sent.Body = verdicts.AddTo(sent.Body)
	}
	return &sent
}

func setIf(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

func (c *call) encode(a *response, buffer *bytes.Buffer) encodedResponse {
	e := encode.JSON(buffer)
	sent := encodedResponse{Status: http.StatusOK, ContentType: contentTypeJSON, Location: a.location, Warnings: c.warnings()}
	if a.isPutNew {
		sent.Status = http.StatusCreated
	}
	switch c.format {
	case csvFormat:
		sent.ContentType, sent.Body = contentTypeCSV, csvOf(a, buffer)
		return sent
	case htmlFormat:
		c.writePage(buffer, a)
		sent.ContentType, sent.Body = page.ContentType, buffer.Bytes()
		return sent
	case xmlFormat:
		e, sent.ContentType = encode.XML(buffer), contentTypeXML
	}
	if a.isList {
		e.List(a.rows, a.selection)
	} else {
		e.Record(a.rows, a.selection)
	}
	sent.Body = buffer.Bytes()
	if !a.isList && !a.isUntagged && !a.isDryRun {
		sent.ETag = tagOf(a, sent.Body)
	}
	return sent
}

// tagOf returns the record's ETag: its version and a hash of the body.
func tagOf(a *response, body []byte) string {
	version, _ := a.rows.Cell(0, a.selection.Version)
	sum := sha256.Sum256(body)
	return `"` + string(version) + "-" + hex.EncodeToString(sum[:8]) + `"`
}

// knownTag returns the tag for the 304 that If-None-Match of a GET or HEAD asks for, with the suffix of a
// compressed response if it has one there; else "".
func knownTag(tag string, r *http.Request) string {
	if tag == "" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return ""
	}
	compressed := strings.TrimSuffix(tag, `"`) + compressedSuffix + `"`
	for known := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		switch strings.TrimPrefix(strings.TrimSpace(known), "W/") {
		case "*", tag:
			return tag
		case compressed:
			return compressed
		}
	}
	return ""
}

func versionOf(tag string) (version int64, ok bool) {
	tag = strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
	text, _, _ := strings.Cut(tag, "-")
	version, err := strconv.ParseInt(text, 10, 64)
	return version, err == nil
}

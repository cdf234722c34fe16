package httpapi

import (
	"mime"
	"net/http"

	"github.com/kontor-crm/kontor/adapters/httpapi/body"
)

// received is the body of a request: the attributes of a write, or a file.
type received struct {
	body body.Value
	file file
}

func (api *API) readBody(c *call, header http.Header) (body.Value, error) {
	if c.http.ContentLength == 0 {
		return body.Value{Kind: body.Record}, nil
	}
	contentType := c.http.Header.Get("Content-Type")
	if media, _, _ := mime.ParseMediaType(contentType); media == body.MergePatch && c.http.Method == http.MethodPatch {
		contentType = "application/json" // a record without nested ones: both mean the same
	}
	if err := body.CheckEncoding(c.http.Header.Values("Content-Encoding")); err != nil {
		return body.Value{}, err
	}
	if err := body.Check(c.http.ContentLength, api.config.MaxBody, contentType); err != nil {
		return body.Value{}, err
	}
	raw, err := api.receive(c, header, api.config.MaxBody)
	if err != nil || len(raw) == 0 {
		return body.Value{Kind: body.Record}, err
	}
	if len(raw) > uncounted {
		if c.leaveBodies, err = c.limits.bodies.Enter(c); err != nil {
			return body.Value{}, err
		}
	}
	return body.Decode(contentType, raw)
}

// receive reads the body. Until it is complete, the call is not in flight. The response to a
// body that is rejected before its end is the last one of its connection: before any other,
// net/http would wait for most of the rest.
func (api *API) receive(c *call, header http.Header, limit int64) ([]byte, error) {
	c.pause()
	raw, err := body.Receive(heldBody{c.http.Body, &c.admission}, limit)
	if err != nil {
		header.Set("Connection", "close")
		return nil, err
	}
	return raw, c.enter()
}

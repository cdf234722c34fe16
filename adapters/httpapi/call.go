package httpapi

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

type call struct {
	context.Context
	api   *API
	http  *http.Request
	query url.Values
	// queryErr is why the query cannot be parsed.
	queryErr error
	route    *route
	tenant   *Tenant // whose records it reads and writes
	actor    access.Actor
	format   format
	id       int64        // the <id> of the path; 0 if it has none
	body     body.Value   // of a write
	file     file         // of an upload
	report   *rule.Report // of a write; else nil
	source   tokenSource
	address  netip.Prefix
	caller   ports.Caller // the token if it is known, or else the address
	observed *ports.Observation
	size     int64               // of the body and the response to a read, in bytes
	held     int64               // of them: see hold
	ignored  []fault.Field       // unknown names, by a lenient service
	inside   bool                // the call counts as in flight
	place    *traffic.HeavyPlace // of a large body, until the call is no longer in flight; else nil
	export   readmodel.Export
}

// Value has the values of the keys ports.ObservationKey and ports.CallerKey.
func (c *call) Value(key any) any {
	switch key {
	case ports.ObservationKey{}:
		return c.observed
	case ports.CallerKey{}:
		return c.caller
	}
	return c.Context.Value(key)
}

// links makes the linker, which few responses need.
func (c *call) links() linker { return c.api.linker(c, c.source) }

// response is the result of a handler: the rows of a list, or the one row of a
// record.
type response struct {
	rows       *readmodel.Rows
	selection  *readmodel.Selection
	isList     bool
	page       readmodel.Page // of a list that has pages
	location   string         // of a new record
	isUntagged bool           // not a stored record: no ETag
	isDryRun   bool           // nothing is stored: no ETag
	isWhole    bool           // the rows are the first of the call's export
	isPutNew   bool           // a PUT created the record: 201, whereas a POST is a 200 as any other write

	// sent is the encoded response of a write, which is encoded before the commit;
	// else nil.
	sent       *encodedResponse
	isReplayed bool // sent was stored by an earlier request with the same idempotency key
}

// maxQuery is the maximum length of a query, in bytes. Link repeats the query up to
// five times.
const maxQuery = 32 << 10

// serve returns the pipeline of every route.
func (api *API) serve(r route) gin.HandlerFunc {
	if r.knows != nil {
		r.known = r.knows()
	}
	return func(g *gin.Context) {
		ctx, cancel := context.WithTimeout(g.Request.Context(), api.config.RequestTimeout)
		defer cancel()
		c := api.newCall(ctx, g.Request, &r, &writerOf(g).request)
		defer c.done()
		if raw := g.Request.URL.RawQuery; raw != "" {
			c.query, c.queryErr = url.ParseQuery(raw)
			if c.queryErr == nil && len(raw) > maxQuery {
				c.queryErr = fmt.Errorf("it has more than %d bytes", maxQuery)
			}
		}
		a, err := api.process(c, g)
		c.recordVerdicts(g.Writer.Header())
		if err != nil {
			c.leave() // the client may take any time to receive the response
			api.sendProblem(g, c.problemFormat(), err, c.verdicts()...)
			return
		}
		c.observed.Replayed = a.isReplayed
		if a.rows != nil {
			c.observed.Rows = a.rows.Len()
		}
		if a.isWhole {
			api.stream(g, c, a)
			return
		}
		api.render(g, c, a)
	}
}

// problemFormat is that of the request, and for CSV the default.
func (c *call) problemFormat() format {
	if c.format == csvFormat {
		return c.defaultFormat()
	}
	return c.format
}

func (c *call) defaultFormat() format { return c.api.config.DefaultFormat.or(c.route.format) }

// newCall returns the call of a request; done ends it.
func (api *API) newCall(ctx context.Context, r *http.Request, route *route, observed *ports.Observation) *call {
	address := api.config.TrustedProxies.ClientOf(r)
	return &call{
		Context: ctx, api: api, tenant: api.home, http: r, route: route, format: route.format,
		address: address, caller: ports.Caller{Address: address},
		observed: observed,
	}
}

// process runs the steps of the pipeline in the order in which contract 3.25 ranks their errors:
// in-flight limit, authentication and rate limit, path, method, format, body, query, and then
// the handler: idempotency key, role, record, version, the record in the body, conflicts.
//
// The role comes after the body because 413, 415 and 400 outrank 403. What is known from the
// headers, a declared length and the content type, is checked before the body is received.
func (api *API) process(c *call, g *gin.Context) (*response, error) {
	if err := api.admit(c, g.Writer.Header()); err != nil {
		c.format = lenientFormat(c.http, c.formats())
		return nil, err
	}
	var err error
	c.format, err = negotiate(c.http, c.query, c.formats())
	if raw, ok := g.Params.Get("id"); ok {
		if c.id, ok = recordID(raw); !ok {
			return nil, fault.New(fault.NotFound, "there is no such record: an id is a positive integer")
		}
	}
	if allow := c.route.allow; allow != "" {
		return nil, notAllowed(allow)
	}
	if err != nil && !(c.route.verb == apidoc.Read && c.route.hasFile()) {
		return nil, api.mentionDocument(c, err)
	}
	switch c.http.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		if c.route.hasFile() {
			c.file, err = api.readPicture(c, g.Writer.Header())
		} else {
			c.body, err = api.readBody(c, g.Writer.Header())
		}
		if err != nil {
			return nil, err
		}
	}
	if c.queryErr != nil {
		return nil, fault.New(fault.Malformed, "the query cannot be read: %s", c.queryErr)
	}
	if err := c.checkQuery(); err != nil {
		return nil, err
	}
	if err := c.checkScope(); err != nil {
		return nil, err
	}
	return c.tenant.routes[c.route.index].handle(c)
}

// checkQuery rejects parameters that the route does not have, and reads the one of a dry run.
func (c *call) checkQuery() error {
	if len(c.query) > 0 {
		if err := fault.ForFields(fault.Malformed, c.refusedOrIgnored(c.route.known.unknown(c.query))...); err != nil {
			return err
		}
	}
	if c.route.verb == apidoc.List || c.route.verb == apidoc.Read {
		return nil
	}
	p := &params{query: c.query}
	c.observed.DryRun = p.flag(dryRunParameter) || prefersDryRun(c.http.Header)
	return p.err()
}

// refusedOrIgnored returns the unknown names that the request is rejected for: all, or none if the
// service is lenient, which then says what it ignores.
func (c *call) refusedOrIgnored(unknown []fault.Field) []fault.Field {
	if !c.api.config.Lenient {
		return unknown
	}
	c.ignored = append(c.ignored, unknown...)
	return nil
}

func recordID(raw string) (int64, bool) {
	id, err := strconv.ParseInt(raw, 10, 64)
	return id, err == nil && id > 0 && raw[0] != '+'
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
		if c.place, err = api.bodies.Enter(c); err != nil {
			return body.Value{}, err
		}
	}
	return body.Decode(contentType, raw)
}

// receive reads the body. Until it is complete, the call is not in flight. The response to a
// body that is rejected before its end is the last one of its connection: before any other,
// net/http would wait for most of the rest.
func (api *API) receive(c *call, header http.Header, limit int64) ([]byte, error) {
	c.leave()
	raw, err := body.Receive(heldBody{c.http.Body, c}, limit)
	if err != nil {
		header.Set("Connection", "close")
		return nil, err
	}
	return raw, c.enter()
}

func (c *call) enter() error {
	err := c.api.inFlight.Enter(c.caller)
	c.inside = err == nil
	return err
}

func (c *call) identify(key ports.Caller) error {
	if err := c.api.inFlight.Move(c.caller, key); err != nil {
		return err
	}
	c.caller = key
	return nil
}

func (c *call) leave() {
	if c.place != nil {
		c.place.Leave()
		c.place = nil
	}
	if c.inside {
		c.inside = false
		c.api.inFlight.Leave(c.caller)
	}
}

func (c *call) done() {
	c.leave()
	if c.held > 0 {
		c.release()
	}
	if c.export != nil {
		c.endExport()
	}
}

package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// call is one request on its way through the pipeline.
type call struct {
	context.Context
	api  *API
	http *http.Request
	target
	query  queryString
	format format
	identity
	admission
	received
	notes
}

// target is what the path of a request names.
type target struct {
	route    *route
	id       int64 // the <id>; 0 if the path has none
	isBeside bool  // it is a part of the page of another call
}

// queryString is the query of a request. It is empty if it cannot be parsed, which invalid says.
type queryString struct {
	url.Values
	invalid error
}

// notes are what the log and the headers of the response say about the request.
type notes struct {
	observed *ports.Observation
	report   *rule.Report // of a write; else nil
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
	export     *export        // of which the rows are the first; nil: they are all
	seeOther   string         // where the page is that a browser asks for; "": here
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
		defer c.leave()
		if raw := g.Request.URL.RawQuery; raw != "" {
			c.query.Values, c.query.invalid = url.ParseQuery(raw)
			if c.query.invalid == nil && len(raw) > maxQuery {
				c.query.invalid = fmt.Errorf("it has more than %d bytes", maxQuery)
			}
		}
		a, err := api.process(c, g)
		c.recordVerdicts(g.Writer.Header())
		if err != nil {
			c.pause() // the client may take any time to receive the response
			api.sendProblem(g, c.problemFormat(), err, c.verdicts()...)
			return
		}
		c.observed.Replayed = a.isReplayed
		if a.rows != nil {
			c.observed.Rows = a.rows.Len()
		}
		if a.export != nil {
			api.stream(g, c, a)
			return
		}
		if a.seeOther != "" {
			c.pause()
			setPageHeaders(g.Writer.Header())
			g.Redirect(http.StatusSeeOther, a.seeOther)
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

// newCall returns the call of a request; leave ends it.
func (api *API) newCall(ctx context.Context, r *http.Request, route *route, observed *ports.Observation) *call {
	address := api.config.TrustedProxies.ClientOf(r)
	return &call{
		Context: ctx, api: api, http: r, target: target{route: route}, format: route.format,
		identity: identity{tenant: api.home, address: address}, notes: notes{observed: observed},
		admission: admission{limits: &api.limits, caller: ports.Caller{Address: address}},
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
	c.format, err = negotiate(c.http, c.query.Values, c.formats())
	if raw, ok := g.Params.Get("id"); ok {
		if c.id, ok = recordID(raw); !ok {
			return nil, fault.New(fault.NotFound, "there is no such record: an id is a positive integer")
		}
	}
	if allow := c.route.allow; allow != "" {
		return nil, notAllowed(allow)
	}
	if err != nil && (c.route.verb != apidoc.Read || !c.route.hasFile()) {
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
	if err := c.query.invalid; err != nil {
		return nil, fault.New(fault.Malformed, "the query cannot be read: %s", err)
	}
	if err := c.checkQuery(); err != nil {
		return nil, err
	}
	if err := c.checkScope(); err != nil {
		return nil, err
	}
	if text := lastOf(c.query.Values, searchParameter); text != "" && c.format == htmlFormat && c.route.verb == apidoc.List {
		return &response{seeOther: c.search(text)}, nil
	}
	return c.tenant.routes[c.route.index].handle(c)
}

// checkQuery rejects parameters that the route does not have, and reads the one of a dry run.
func (c *call) checkQuery() error {
	if len(c.query.Values) > 0 {
		if err := fault.ForFields(fault.Malformed, c.refusedOrIgnored(c.route.known.unknown(c.query.Values))...); err != nil {
			return err
		}
	}
	if c.route.verb == apidoc.List || c.route.verb == apidoc.Read {
		return nil
	}
	p := c.params()
	c.observed.DryRun = p.flag(dryRunParameter) || prefersDryRun(c.http.Header)
	return p.err()
}

// refusedOrIgnored returns the unknown names that the request is rejected for: all, or none if the
// service is lenient, which then says what it ignores.
func (c *call) refusedOrIgnored(unknown []fault.Field) []fault.Field {
	if !c.api.config.Lenient {
		return unknown
	}
	for _, f := range unknown {
		c.observed.Ignored = append(c.observed.Ignored, f.Name)
	}
	return nil
}

func recordID(raw string) (int64, bool) {
	id, err := strconv.ParseInt(raw, 10, 64)
	return id, err == nil && id > 0 && raw[0] != '+'
}

package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/encode"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

type endpoint[F any] struct {
	path   string // below /rest/
	table  *readmodel.Resource
	noUser *readmodel.Resource // of requests without a token; nil: table
	reader readmodel.Reader[F]
	format format // without _format and Accept
	public bool   // may be opened to requests without a token
	// columns are the fields of the page of the list, unless the request names some; "" for all.
	columns     string
	hidden      string      // further fields that the page of the list reads, if it has columns
	area        access.Area // whose records not everybody may read; zero: everybody may
	needsFilter bool        // the list is refused without one
	filter      func(p *params) F

	body    []apidoc.Field        // the attributes of writes
	echoes  []readmodel.Attribute // attributes beside those of the table that a write accepts and ignores
	party   []apidoc.Field        // the attributes of the party that a record has
	instead map[string]string     // the filters for attributes that are none

	parameters []apidoc.Parameter // beside those of the verb
	media      []string           // of a file that is sent or received

	// For the OpenAPI document:
	record   string                // the name of a record's schema
	statuses map[apidoc.Verb][]int // of problems beside those of all resources
	docs     *apidoc.Docs
}

type writes struct {
	create func(ctx context.Context, in *input) (id int64, err error)
	update func(ctx context.Context, in *input, id int64) error
	remove func(ctx context.Context, r command.Request, id int64) error
	put    func(ctx context.Context, in *input) error // changes or creates the record with the ref; nil: there are none
}

// useCases are those of a resource whose records are written by their attributes alone.
type useCases[ID ~int64, A any] interface {
	Create(ctx context.Context, r command.Request, a A) (ID, error)
	Update(ctx context.Context, r command.Request, id ID, a A) error
	Delete(ctx context.Context, r command.Request, id ID) error
}

// writesOf returns the writes that parse the attributes and call the use cases.
func writesOf[ID ~int64, A any](u useCases[ID, A], attributes func(in *input) A) writes {
	return writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			a := attributes(in) // adds the invalid ones to the request
			id, err := u.Create(ctx, in.request, a)
			return int64(id), in.asSent(err)
		},
		update: func(ctx context.Context, in *input, id int64) error {
			a := attributes(in)
			return in.asSent(u.Update(ctx, in.request, ID(id), a))
		},
		remove: func(ctx context.Context, r command.Request, id int64) error { return u.Delete(ctx, r, ID(id)) },
	}
}

func (r endpoint[F]) reading() []route {
	return []route{
		r.route(http.MethodGet, "", apidoc.List, r.list),
		r.route(http.MethodGet, "/:id", apidoc.Read, r.read(r.reader)),
	}
}

func (r endpoint[F]) writing(w writes) []route {
	routes := r.reading()
	if w.put != nil {
		routes = append(routes, r.putByRef(w))
	}
	return append(routes,
		r.route(http.MethodPost, "", apidoc.Create, r.create(w)),
		r.route(http.MethodPut, "/:id", apidoc.Update, r.update(w)),
		r.route(http.MethodPatch, "/:id", apidoc.Update, r.update(w)),
		r.route(http.MethodDelete, "/:id", apidoc.Delete, r.remove(w)),
	)
}

func (r endpoint[F]) route(method, suffix string, v apidoc.Verb, h handler) route {
	return r.action(method, suffix, v, nil, h)
}

// action returns the route of an action, which is as the verb where its documentation does not say otherwise.
func (r endpoint[F]) action(method, suffix string, v apidoc.Verb, a *apidoc.Action, h handler) route {
	described := route{
		method:      method,
		verb:        v,
		action:      a,
		path:        "/rest/" + r.path + suffix,
		format:      r.format,
		public:      r.public && method == http.MethodGet,
		needsFilter: r.needsFilter,
		handle:      h,
	}
	if v == apidoc.List && r.columns != "" {
		for name := range strings.SplitSeq(r.columns, ",") {
			head, _, _ := strings.Cut(name, ".")
			described.columns = append(described.columns, head)
		}
	}
	described.describe = func() apidoc.Operation { return r.describe(described) }
	described.knows = func() *knownNames { return r.knows(described) }
	return described
}

func (r endpoint[F]) describe(route route) apidoc.Operation {
	o := apidoc.Operation{
		Method: route.method, Path: route.template(), Verb: route.verb, Action: route.action, Tag: r.path, Table: r.table, Record: r.record,
		Body: r.body, Media: r.media, Filters: slices.Clone(r.parameters), Statuses: r.statuses[route.verb],
		XML: route.format == xmlFormat, Public: route.public, Docs: r.docs,
	}
	if route.verb == apidoc.List {
		r.filter(&params{documented: &o.Filters})
	}
	return o
}

func (r endpoint[F]) list(c *call) (*response, error) {
	p := c.params()
	q := readmodel.Query[F]{Filter: r.filter(p), Page: p.page(r.table)}
	sort := p.limited("sort", maxNames)
	isExport := c.asksForExport(p)
	if c.format == htmlFormat {
		q.Page = onOnePage(q.Page)
	}
	var err error
	if q.Select, err = r.selection(c, p); err != nil {
		return nil, err
	}
	if q.Sort, err = query.SortBy(r.tableFor(c), sort); err != nil {
		return nil, err
	}
	if err := c.actor.MayRead(r.area); err != nil {
		return nil, err
	}
	if isExport {
		return r.export(c, q)
	}
	rows, err := r.reader.List(c, q)
	if errors.Is(err, readmodel.ErrTooLarge) {
		return nil, fault.New(fault.Malformed, "%s: request fewer records (per_page) or attributes (fields)", fault.As(err).Message)
	}
	if err != nil {
		return nil, err
	}
	return &response{rows: rows, selection: q.Select, isList: true, page: q.Page}, nil
}

// maxShown is how many rows a page shows.
const maxShown = 100

func onOnePage(p readmodel.Page) readmodel.Page {
	if p.Size == 0 {
		p.Number = 1
		p.Size = maxShown
	}
	p.Size = min(p.Size, maxShown)
	return p
}

func (r endpoint[F]) read(from query.RecordReader) handler {
	return func(c *call) (*response, error) {
		selection, err := r.recordSelection(c)
		if err != nil {
			return nil, err
		}
		if err := c.actor.MayRead(r.area); err != nil {
			return nil, err
		}
		rows, err := from.Read(c, c.id, selection)
		if err != nil {
			return nil, err
		}
		return &response{rows: rows, selection: selection}, checkFields(rows, selection)
	}
}

// checkFields rejects fields that a record of this type does not have.
func checkFields(rows *readmodel.Rows, selection *readmodel.Selection) error {
	for _, n := range selection.Nodes {
		if n.Named && !encode.Has(rows, 0, selection, n.Attribute) {
			return fault.New(fault.Malformed, "fields: a record of this type has no %q", n.Name)
		}
	}
	return nil
}

func (r endpoint[F]) create(w writes) handler {
	return func(c *call) (*response, error) {
		in, a, err := r.written(c)
		if err != nil {
			return nil, err
		}
		if in.request.Idempotency, err = c.idempotency(); err != nil {
			return nil, err
		}
		_, err = w.create(c, in)
		if repeated, ok := errors.AsType[command.Repeated](err); ok {
			first, err := parseStored(repeated.Response)
			return &response{sent: first, isReplayed: true}, err
		}
		return a, err
	}
}

func (r endpoint[F]) update(w writes) handler {
	return func(c *call) (*response, error) {
		in, a, err := r.written(c)
		if err != nil {
			return nil, err
		}
		in.isChange = true
		for _, f := range r.body {
			if f.CreateOnly {
				delete(in.Fields, f.Name)
			}
		}
		return a, w.update(c, in, c.id)
	}
}

func (r endpoint[F]) remove(w writes) handler {
	return func(c *call) (*response, error) {
		request := c.request()
		if err := w.remove(c, request, c.id); err != nil {
			return nil, err
		}
		a := removed(c.id)
		a.isDryRun = request.DryRun
		return a, nil
	}
}

// written prepares a write: its input, and its response, whose selection is checked
// before anything is stored. The write fills in the response before it commits.
func (r endpoint[F]) written(c *call) (*input, *response, error) {
	selection, err := r.recordSelection(c)
	if err != nil {
		return nil, nil, err
	}
	request := c.request()
	a := &response{selection: selection, isDryRun: request.DryRun}
	encode := func(id int64, record *readmodel.Rows) ([]byte, error) {
		if err := checkFields(record, selection); err != nil {
			return nil, err
		}
		a.rows = record
		if request.Response.IsNew && !request.DryRun {
			a.location = c.links().record(id)
		}
		a.isPutNew = request.Response.IsNew && c.route.action != nil && c.route.action.IsCreated
		encoded := c.encode(a, new(bytes.Buffer))
		a.sent = &encoded
		return encoded.stored(), nil
	}
	request.Response = &command.Response{Resource: r.table, Selection: selection, Encode: encode}
	return &input{Value: c.body, request: request, shown: a}, a, nil
}

func (r endpoint[F]) recordSelection(c *call) (*readmodel.Selection, error) {
	return r.selection(c, c.params())
}

// selection parses fields, expand and the count parameters. It also returns the errors
// that p has collected before.
func (r endpoint[F]) selection(c *call, p *params) (*readmodel.Selection, error) {
	parameters := query.Parameters{
		Fields: p.list("fields"),
		Expand: p.list("expand"),
		Record: c.route.verb != apidoc.List,
		Flat:   c.format == csvFormat && !c.route.isReport(),
	}
	if c.format == htmlFormat {
		r.forPage(&parameters)
	}
	for i := range r.table.Attributes {
		if a := &r.table.Attributes[i]; a.OnRequest && p.flag(a.Name) {
			parameters.Counts = append(parameters.Counts, a.Name)
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return query.Select(r.tableFor(c), parameters)
}

// forPage selects what a page shows: the columns of a list, and of a record all with its relations.
func (r endpoint[F]) forPage(p *query.Parameters) {
	switch isNamed := strings.TrimSpace(p.Fields.Or("")) != ""; {
	case isNamed:
	case p.Record && !p.Expand.IsSet():
		p.Expand = domain.Some(strings.Join(r.table.Expansions, ","))
	case !p.Record && !p.Expand.IsSet():
		p.Fields = domain.Some(strings.Trim(r.columns+","+r.hidden, ","))
	}
}

func (r endpoint[F]) tableFor(c *call) *readmodel.Resource {
	if r.noUser != nil && c.actor.UserID == 0 {
		return r.noUser
	}
	return r.table
}

// removed returns the response to a deletion: a record with only an id.
func removed(id int64) *response {
	selection := &readmodel.Selection{
		Paths: []string{"id"},
		Nodes: []readmodel.Node{{Attribute: &readmodel.Attribute{Name: "id", Kind: readmodel.ID}}},
		Type:  -1,
	}
	rows := readmodel.NewRows(1)
	rows.Append(strconv.AppendInt(nil, id, 10))
	return &response{rows: rows, selection: selection, isUntagged: true}
}

// request returns the request of a write, with the attributes in the body that are unknown.
func (c *call) request() command.Request {
	c.report = &rule.Report{}
	expect, isAny := versionsIn(c.http.Header.Values("If-Match"))
	mustExist := expect != nil
	if isAny {
		expect = nil
	}
	except, isAny := versionsIn(c.http.Header.Values("If-None-Match"))
	return command.Request{
		Actor: c.actor, ID: c.observed.ID, DryRun: c.observed.DryRun, Report: c.report,
		Expect: expect, Except: except, ExceptAny: isAny, MustExist: mustExist,
		Wrong: c.refusedOrIgnored(c.route.known.unknownAttributes(c.body)),
	}
}

// versionsIn returns the versions in the tags of If-Match or If-None-Match, nil if the header is absent, and
// whether it names any version. A tag without a version names none.
func versionsIn(headers []string) (versions []int64, isAny bool) {
	if len(headers) == 0 {
		return nil, false
	}
	versions = []int64{}
	for tag := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" {
			isAny = true
		}
		if v, ok := versionOf(tag); ok {
			versions = append(versions, v)
		}
	}
	slices.Sort(versions)
	return slices.Compact(versions), isAny
}

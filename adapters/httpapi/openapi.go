package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// Document is the OpenAPI document of the service, as JSON. It is made of the
// table of routes, and its schemas of the tables of the resources, so that it
// says what is served.
//
// Chose version 3.1: the validator and the generators that the document is
// tried with read it. Because: a value that may be null is then said without
// words of OpenAPI's own. Costs: tools that know only 3.0.
//
// Chose to write the document with a few lines of our own over a library's
// model. Because: those at hand lose the order of attributes, in which people
// read them. Costs: nothing keeps a wrong word out but the test that validates
// the document.
func Document() []byte {
	d := &writer{}
	paths := d.paths(allRoutes())
	whole := object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", "Kontor"},
			{"version", "1"},
			{"summary", "Customer relationship management and invoicing"},
			{"description", introduction},
			{"license", object{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		{"servers", []object{{{"url", "/"}}}},
		{"security", securityChoices},
		{"tags", d.tags},
		{"paths", paths},
		{"components", object{
			{"schemas", d.schemas.named.with("Problem", problemSchema)},
			{"responses", problemResponses()},
			{"parameters", sharedParameters},
			{"headers", headerSchemas},
			{"securitySchemes", securitySchemes},
		}},
	}
	text, err := json.Marshal(whole)
	if err != nil {
		panic(err) // it is texts and numbers
	}
	return text
}

// writer gathers what operations share while the document is written.
type writer struct {
	schemas schemas
	tags    []object
}

// paths are all paths with their operations, in the order of the routes.
func (d *writer) paths(routes []route) object {
	var paths object
	at := map[string]int{}
	for _, r := range routes {
		path := r.template()
		i, ok := at[path]
		if !ok {
			i = len(paths)
			at[path] = i
			var shared object
			if strings.Contains(path, "{id}") {
				shared = object{{"parameters", []object{{
					{"name", "id"}, {"in", "path"}, {"required", true}, {"schema", idSchema},
				}}}}
			}
			paths = append(paths, member{path, shared})
		}
		methods, _ := paths[i].value.(object)
		paths[i].value = methods.with(strings.ToLower(r.method), d.operation(r))
	}
	return paths
}

func (d *writer) operation(r route) object {
	o := r.about
	described := object{{"operationId", o.id}, {"summary", o.summary}}
	if o.plain != nil {
		return described.with("security", []object{}).with("responses", plainResponses(o))
	}
	d.tag(o.tag)
	described = described.with("tags", []string{o.tag})
	if parameters := d.parameters(o); len(parameters) > 0 {
		described = described.with("parameters", parameters)
	}
	if o.verb == creating || o.verb == updating {
		described = described.with("requestBody", d.requestBody(o))
	}
	return described.with("responses", d.responses(o))
}

func (d *writer) tag(name string) {
	for _, t := range d.tags {
		if t[0].value == name {
			return
		}
	}
	d.tags = append(d.tags, object{{"name", name}})
}

func (d *writer) parameters(o operation) []object {
	var all []object
	for _, p := range o.parameters() {
		all = append(all, object{
			{"name", p.name}, {"in", "query"}, {"description", p.about}, {"schema", p.schema},
		})
	}
	share := func(name string) { all = append(all, reference("parameters", name)) }
	switch o.verb {
	case listing:
		if o.table.PerPage > 0 {
			share("page")
			share("cursor")
		}
	case reading:
		share("If-None-Match")
	case creating:
		share(idempotencyKey)
	case updating, removing:
		share("If-Match")
	}
	share("_format")
	return all
}

func (d *writer) requestBody(o operation) object {
	name, fields := o.record+"New", o.body
	if o.verb == updating {
		name, fields = o.record+"Changes", changes(o.body)
	}
	if !d.schemas.named.has(name) {
		d.schemas.named = d.schemas.named.with(name, bodySchema(fields))
	}
	schema := reference("schemas", name)
	content := object{}
	for _, media := range bodyTypes {
		content = content.with(media, object{{"schema", schema}})
	}
	return object{{"required", o.verb == creating}, {"content", content}}
}

func (d *writer) responses(o operation) object {
	ok := object{{"description", d.described(o)}}
	if headers := answerHeaders(o); len(headers) > 0 {
		ok = ok.with("headers", headers)
	}
	all := object{{strconv.Itoa(http.StatusOK), ok.with("content", object{
		{"application/json", object{{"schema", d.answer(o)}}},
		{"application/xml", object{}},
	})}}
	if o.verb == reading {
		all = all.with(strconv.Itoa(http.StatusNotModified), object{{"description", "The record still has the tag of If-None-Match."}})
	}
	for _, status := range o.refusals() {
		all = all.with(strconv.Itoa(status), reference("responses", problemName(status)))
	}
	return all
}

func (d *writer) described(o operation) string {
	switch o.verb {
	case listing:
		return plural(o.table.Name) + " under items"
	case removing:
		return "The id of the record that is gone"
	}
	return "The " + o.table.Name
}

// answer is the schema of a success.
func (d *writer) answer(o operation) object {
	var inner object
	switch o.verb {
	case removing:
		inner = object{{"type", "object"}, {"required", []string{"id"}}, {"properties", object{{"id", idSchema}}}, {"additionalProperties", false}}
	case listing:
		items := object{{"type", "array"}, {"items", d.schemas.record(o.record, o.table.Attributes)}}
		inner = object{
			{"type", "object"}, {"required", []string{"items"}}, {"properties", object{{"items", items}}}, {"additionalProperties", false},
		}
	default:
		inner = d.schemas.record(o.record, o.table.Attributes)
	}
	return object{
		{"type", "object"}, {"required", []string{"response"}}, {"properties", object{{"response", inner}}}, {"additionalProperties", false},
	}
}

// plainResponses are those of a route outside of the resources.
func plainResponses(o operation) object {
	content := object{{"application/json", object{{"schema", o.plain}}}}
	all := object{{strconv.Itoa(http.StatusOK), object{{"description", "It is so."}, {"content", content}}}}
	if o.mayBeUnready {
		all = all.with(strconv.Itoa(http.StatusServiceUnavailable), object{{"description", "Not now."}, {"content", content}})
	}
	return all
}

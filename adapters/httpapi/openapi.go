package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
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
func Document() []byte { return documentJSON() }

// documentJSON is made when somebody first asks for it: a service that starts has
// better things to do.
var documentJSON = sync.OnceValue(func() []byte {
	text, err := appendJSON(nil, wholeDocument())
	if err != nil {
		panic(err) // it is texts and numbers
	}
	return text
})

func wholeDocument() object {
	d := &writer{}
	paths := d.paths(allRoutes())
	return object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", "Kontor"},
			{"version", "1"},
			{"summary", "Customer relationship management and invoicing"},
			{"description", introduction},
			{"license", object{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		{"servers", []object{{{"url", "/"}, {"description", "The service that this document comes from."}}}},
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
					{"name", "id"}, {"in", "path"}, {"description", "The id of the record."}, {"required", true}, {"schema", idSchema},
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
	if o.plain != nil {
		o.tag, o.lesson = "service", &serviceLesson
	}
	d.tag(o)
	described := object{
		{"operationId", o.id}, {"summary", o.summary}, {"description", o.description(r)}, {"tags", []string{o.tag}},
	}
	if o.plain != nil {
		return described.with("security", []object{}).with("responses", plainResponses(o))
	}
	described = described.with("parameters", d.parameters(o))
	if o.verb == creating || o.verb == updating {
		described = described.with("requestBody", d.requestBody(o))
	}
	return described.with("responses", d.responses(o))
}

// tag tells of the resource where its first operation is met.
func (d *writer) tag(o operation) {
	for _, t := range d.tags {
		if t[0].value == o.tag {
			return
		}
	}
	d.tags = append(d.tags, object{{"name", o.tag}, {"description", o.lesson.about}})
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
	suffix, fields, summary, body := "New", o.body, "A new "+o.table.Name, o.lesson.story.create
	if o.verb == updating {
		suffix, fields, summary, body = "Changes", changes(o.body), "One change", o.lesson.story.change
	}
	name := d.schemas.body(o.record, suffix, fields, o.lesson.notes)
	content := object{}
	for _, media := range bodyTypes {
		schema, example := reference("schemas", name), any(nil)
		switch media {
		case "application/json":
			example = body
		case "application/xml":
			schema = schema.with("xml", object{{"name", o.tag}})
			example = bodyInXML(o.tag, body)
		}
		part := object{{"schema", schema}}
		if example != nil {
			part = part.with("examples", object{{"usual", object{{"summary", summary}, {"value", example}}}})
		}
		content = content.with(media, part)
	}
	about := "The attributes of the new record; an empty body is a record without any."
	if o.verb == updating {
		about = "The attributes that are to change."
	}
	return object{{"description", about}, {"required", o.verb == creating}, {"content", content}}
}

func (d *writer) responses(o operation) object {
	ok := object{{"description", d.described(o)}, {"headers", answerHeaders(o)}}
	var inJSON, inXML object
	for _, s := range o.samples() {
		inJSON = inJSON.with(s.name, object{{"summary", s.summary}, {"value", s.json}})
		inXML = inXML.with(s.name, object{{"summary", s.summary}, {"value", s.xml}})
	}
	all := object{{strconv.Itoa(http.StatusOK), ok.with("content", object{
		{"application/json", object{{"schema", d.answer(o)}, {"examples", inJSON}}},
		{"application/xml", object{{"schema", d.answerInXML(o)}, {"examples", inXML}}},
	})}}
	if o.verb == reading {
		all = all.with(strconv.Itoa(http.StatusNotModified), object{
			{"description", "The record still has the tag of If-None-Match: there is no body."}, {"headers", answerHeaders(o)},
		})
	}
	for _, status := range o.refusals() {
		all = all.with(strconv.Itoa(status), reference("responses", problemName(status)))
	}
	return all
}

func (d *writer) described(o operation) string {
	switch o.verb {
	case listing:
		return plural(capital(o.table.Name)) + " under items."
	case removing:
		return "The id of the record that is gone."
	}
	return "The " + o.table.Name + "."
}

// answer is the schema of a success.
func (d *writer) answer(o operation) object {
	inner := d.schemas.record(o.record, o.table.Attributes)
	switch o.verb {
	case removing:
		inner = closed(object{{"id", idSchema}})
	case listing:
		inner = closed(object{{"items", object{{"type", "array"}, {"items", inner}}}})
	}
	return closed(object{{"response", inner}})
}

// answerInXML is the same for XML, where the root stands for the member response
// and repeats item.
func (d *writer) answerInXML(o operation) object {
	root := object{{"name", "response"}}
	inner := d.schemas.record(o.record, o.table.Attributes)
	switch o.verb {
	case removing:
		return closed(object{{"id", idSchema}}).with("xml", root)
	case listing:
		items := object{{"type", "array"}, {"items", inner.with("xml", object{{"name", "item"}})}}
		return object{{"type", "object"}, {"properties", object{{"item", items}}}, {"xml", root}}
	}
	return inner.with("xml", root)
}

// closed is the schema of an object that has these properties and no others.
func closed(properties object) object {
	var names []string
	for _, p := range properties {
		names = append(names, p.name)
	}
	return object{{"type", "object"}, {"required", names}, {"properties", properties}, {"additionalProperties", false}}
}

// plainResponses are those of a route outside of the resources.
func plainResponses(o operation) object {
	media := o.media
	if media == "" {
		media = "application/json"
	}
	answer := func(about string, example object, headers ...string) object {
		all := object{}
		for _, name := range append([]string{requestIDHeader}, headers...) {
			all = all.with(name, reference("headers", name))
		}
		part := object{}
		if len(o.plain) > 0 {
			part = part.with("schema", o.plain)
		}
		if len(example) > 0 {
			part = part.with("examples", object{{"usual", object{{"value", example}}}})
		}
		return object{{"description", about}, {"headers", all}, {"content", object{{media, part}}}}
	}
	all := object{{strconv.Itoa(http.StatusOK), answer(o.answers, o.example)}}
	if len(o.unready) > 0 {
		all = all.with(strconv.Itoa(http.StatusServiceUnavailable), answer("Not now.", o.unready, "Retry-After"))
	}
	return all
}

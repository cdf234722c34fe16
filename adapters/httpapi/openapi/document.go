// Package openapi builds the OpenAPI document of the service from the operations of its
// routes: the tables of the read models give the schemas of records, the filters of a list
// its parameters. The service builds it for the first request; make docs keeps it in a file.
//
// Chose: version 3.1. Because: the validator and the generators that the document is tested with
// read it, and null is then a type of JSON schema. Costs: tools that know only 3.0.
//
// Chose: two documents over one. Because: a schema cannot depend on a parameter: either the
// attributes of a record are required, and responses to requests with fields violate it, or they
// are not, and clients that never send fields get only optional attributes. A union of both would
// give every client the optional ones. Costs: a choice for readers of the API; both documents say
// which is for whom.
//
// Chose: a small ordered object over the model of a library. Because: those at hand lose the order
// of attributes, in which people read them. Costs: only the test that validates the document
// catches an invalid keyword.
package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
)

// JSON returns the document of the operations, indented. No attribute of a record in a
// response is required, because the parameter fields may leave it out.
func JSON(operations []apidoc.Operation) ([]byte, error) {
	return newBuilder(operations).json(operations)
}

// CodegenJSON returns the document for code generators: without the parameter fields and
// without examples, and with the required attributes of records.
func CodegenJSON(operations []apidoc.Operation) ([]byte, error) {
	b := newBuilder(operations)
	b.codegen = true
	return b.json(operations)
}

func (b *builder) json(operations []apidoc.Operation) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(b.document(operations))
	return text.Bytes(), err
}

// builder collects what operations share while the document is built.
type builder struct {
	codegen bool                         // see CodegenJSON
	docs    map[string]apidoc.Attributes // by the names of records
	schemas object
	tags    []object
}

func newBuilder(operations []apidoc.Operation) *builder {
	b := &builder{docs: map[string]apidoc.Attributes{}}
	for _, o := range operations {
		if o.Docs != nil {
			b.addDocs(o.Record, o.Docs.Attributes)
			for record, attributes := range o.Docs.Embedded {
				b.addDocs(record, attributes)
			}
		}
	}
	for _, o := range operations {
		b.addFields(o.Record, o.Body)
	}
	return b
}

// addDocs adds the descriptions of attributes of a record that have none.
func (b *builder) addDocs(record string, attributes apidoc.Attributes) {
	if b.docs[record] == nil {
		b.docs[record] = apidoc.Attributes{}
	}
	for name, about := range attributes {
		b.docs[record][name] = cmp.Or(b.docs[record][name], about)
	}
}

// addFields adds the descriptions of the fields of a body.
func (b *builder) addFields(record string, fields []apidoc.Field) {
	for _, f := range fields {
		b.addDocs(record, apidoc.Attributes{f.Name: f.About})
		b.addFields(f.As, f.Line)
	}
}

// attributesOf documents the attributes of a record. A summary is a record as it is embedded
// in others.
func (b *builder) attributesOf(record string) apidoc.Attributes {
	return b.docs[strings.TrimSuffix(record, "Summary")]
}

func (b *builder) document(operations []apidoc.Operation) object {
	paths := b.paths(operations)
	return object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", "Kontor"},
			{"version", "1"},
			{"summary", "Customer relationship management and invoicing"},
			{"description", introduction},
			{"license", object{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		{"servers", []object{{{"url", "/"}, {"description", "The service that serves this document."}}}},
		{"security", securityChoices()},
		{"tags", b.tags},
		{"paths", paths},
		{"components", object{
			{"schemas", b.schemas.with("Problem", problemSchema).with("Verdicts", verdictsSchema)},
			{"responses", problemResponses()},
			{"parameters", sharedParameters()},
			{"headers", headerSchemas()},
			{"securitySchemes", securitySchemes},
		}},
	}
}

func (b *builder) paths(operations []apidoc.Operation) object {
	var paths object
	index := map[string]int{}
	for _, o := range operations {
		i, ok := index[o.Path]
		if !ok {
			i = len(paths)
			index[o.Path] = i
			paths = append(paths, member{o.Path, pathParameters(o.Path)})
		}
		methods, _ := paths[i].value.(object)
		paths[i].value = methods.with(strings.ToLower(o.Method), b.operation(o))
	}
	return paths
}

func pathParameters(path string) object {
	if !strings.Contains(path, "{id}") {
		return nil
	}
	return object{{"parameters", []object{{
		{"name", "id"}, {"in", "path"}, {"description", "The id of the record."}, {"required", true}, {"schema", apidoc.ID},
	}}}}
}

func (b *builder) operation(o apidoc.Operation) object {
	if s := o.Service; s != nil {
		b.tag("service", "The state and the version of the service itself. These operations need no token and have one format only.")
		return object{
			{"operationId", s.ID}, {"summary", s.Summary}, {"description", s.Description}, {"tags", []string{"service"}},
			{"security", []object{}}, {"responses", serviceResponses(s)},
		}
	}
	b.tag(o.Tag, o.Docs.Description)
	a := actionOf(o)
	described := object{
		{"operationId", a.ID}, {"summary", a.Summary}, {"description", description(o, a.Does)}, {"tags", []string{o.Tag}},
		{"parameters", b.parameters(o, a)},
	}
	switch {
	case a.IsFile && !sendsFile(o, a):
		described = described.with("requestBody", object{{"description", "The file."}, {"required", true}, {"content", filesOf(o)}})
	case a.Body != nil:
		described = described.with("requestBody", b.requestBody(o, *a.Body))
	}
	return described.with("responses", b.responses(o, a))
}

func (b *builder) tag(name, description string) {
	for _, t := range b.tags {
		if t[0].value == name {
			return
		}
	}
	b.tags = append(b.tags, object{{"name", name}, {"description", description}})
}

func (b *builder) requestBody(o apidoc.Operation, body apidoc.Body) object {
	fields := o.Body
	if body.Partial {
		fields = changes(fields)
	}
	name := b.body(o.Record, body.Suffix, fields)
	content := object{}
	for _, media := range bodyTypes {
		schema := reference("schemas", name)
		if media == "application/xml" {
			schema = schema.with("xml", object{{"name", o.Tag}})
		}
		part := object{{"schema", schema}}
		if media == "application/json" && !b.codegen {
			part = part.with("examples", object{{"usual", object{{"summary", body.Summary}, {"value", json.RawMessage(body.Example)}}}})
		}
		content = content.with(media, part)
	}
	return object{{"description", body.Description}, {"required", body.Required}, {"content", content}}
}

func (b *builder) responses(o apidoc.Operation, a apidoc.Action) object {
	content, headers := b.contentOf(o, a), successHeaders(a)
	all := object{{strconv.Itoa(http.StatusOK), object{{"description", a.Succeeded}, {"headers", headers}, {"content", content}}}}
	if a.IsCreated {
		all = all.with(strconv.Itoa(http.StatusCreated), object{
			{"description", a.Succeeded}, {"headers", append(headerReferences("Location"), headers...)}, {"content", content},
		})
	}
	if o.Verb == apidoc.Read && !a.IsReport {
		all = all.with(strconv.Itoa(http.StatusNotModified), object{
			{"description", "The record still has the ETag in If-None-Match; there is no body."}, {"headers", headers},
		})
	}
	for _, status := range problemsOf(o, a) {
		all = all.with(strconv.Itoa(status), reference("responses", problemName(status)))
	}
	return all
}

func (b *builder) contentOf(o apidoc.Operation, a apidoc.Action) object {
	if sendsFile(o, a) {
		return filesOf(o)
	}
	content := object{
		{"application/json", object{{"schema", b.success(o)}}},
		{"application/xml", object{{"schema", b.successInXML(o)}}},
	}
	if o.Verb == apidoc.List || a.IsReport {
		content = content.with("text/csv", object{{"schema", apidoc.Text(0)}})
	}
	return content
}

// filesOf is the content of a file that is sent or received.
func filesOf(o apidoc.Operation) (content object) {
	for _, media := range o.Media {
		file := object{}
		if media == "text/html" {
			file = object{{"schema", apidoc.Text(0)}}
		}
		content = content.with(media, file)
	}
	return content
}

func (b *builder) success(o apidoc.Operation) object {
	inner := b.record(o.Record, o.Table.Attributes)
	switch o.Verb {
	case apidoc.Delete:
		inner = closed(object{{"id", apidoc.ID}})
	case apidoc.List:
		inner = closed(object{{"items", object{{"type", "array"}, {"items", inner}}}})
	}
	if o.Verb >= apidoc.Create {
		return object{
			{"type", "object"}, {"required", []string{"response"}},
			{"properties", object{{"response", inner}, {"verdicts", reference("schemas", "Verdicts")}}},
			{"additionalProperties", false},
		}
	}
	return closed(object{{"response", inner}})
}

// successInXML returns the same in XML, where the root is the member response and repeats
// item.
func (b *builder) successInXML(o apidoc.Operation) object {
	root := object{{"name", "response"}}
	inner := b.record(o.Record, o.Table.Attributes)
	switch o.Verb {
	case apidoc.Delete:
		return closed(object{{"id", apidoc.ID}}).with("xml", root)
	case apidoc.List:
		items := object{{"type", "array"}, {"items", inner.with("xml", object{{"name", "item"}})}}
		return object{{"type", "object"}, {"properties", object{{"item", items}}}, {"xml", root}}
	}
	return inner.with("xml", root)
}

func closed(properties object) object {
	var names []string
	for _, p := range properties {
		names = append(names, p.name)
	}
	return object{{"type", "object"}, {"required", names}, {"properties", properties}, {"additionalProperties", false}}
}

func serviceResponses(s *apidoc.Service) object {
	response := func(description string, headers ...string) object {
		return object{
			{"description", description}, {"headers", headerReferences(append([]string{"X-Request-Id"}, headers...)...)},
			{"content", object{{"application/json", object{{"schema", s.Schema}}}}},
		}
	}
	all := object{{strconv.Itoa(http.StatusOK), response(s.Response)}}
	if s.MayFail {
		all = all.with(strconv.Itoa(http.StatusServiceUnavailable), response("The service is not ready.", "Retry-After"))
	}
	return all
}

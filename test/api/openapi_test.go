package api_test

import (
	"bytes"
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/docs"
)

// described is the document, and the one for code generators, which does not know fields.
var described = sync.OnceValue(func() (d struct{ whole, codegen *description }) {
	d.whole, d.codegen = loaded(docs.OpenAPI), loaded(docs.OpenAPICodegen)
	return d
})

// operations returns the operations of the service, one for each kind of picture.
func operations() (all []apidoc.Operation) {
	for _, o := range httpapi.Operations(bootstrap.Resources(nil, nil, bootstrap.Commands{}, nil)) {
		if !strings.HasSuffix(o.Path, "/{picture}") {
			all = append(all, o)
			continue
		}
		path := o.Path
		for _, kind := range o.Filters[0].Choices {
			o.Path = strings.Replace(path, "{picture}", kind, 1)
			all = append(all, o)
		}
	}
	return all
}

// description is a document whose schemas are compiled on first use.
type description struct {
	*openapi3.T
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

func loaded(text []byte) *description {
	d, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		panic(err)
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource(documentURL, tree); err != nil {
		panic(err)
	}
	return &description{T: d, compiler: c, schemas: map[string]*jsonschema.Schema{}}
}

const documentURL = "urn:kontor:openapi"

// parsed parses the JSON text when it is first asked for the value.
func parsed(text string) func() (any, error) {
	return sync.OnceValues(func() (any, error) { return jsonschema.UnmarshalJSON(strings.NewReader(text)) })
}

// fits validates the JSON value against the schema at the place in the document.
func (d *description) fits(place string, body func() (any, error)) error {
	schema, err := d.schema(place)
	if err != nil {
		return err
	}
	value, err := body()
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func (d *description) schema(place string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.schemas[place]; known != nil {
		return known, nil
	}
	schema, err := d.compiler.Compile(documentURL + place)
	if err == nil {
		d.schemas[place] = schema
	}
	return schema, err
}

// fitsResponse validates the status, the headers and a body in JSON.
func (d *description) fitsResponse(route *routers.Route, r *reply, body func() (any, error)) error {
	response := route.Operation.Responses.Status(r.status)
	if response == nil {
		return fmt.Errorf("a %d is not described", r.status)
	}
	if err := d.fitsHeaders(response, r.header); err != nil || r.status == http.StatusNotModified {
		return err
	}
	media, _, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil {
		return err
	}
	content := response.Value.Content[media]
	if content == nil {
		return fmt.Errorf("a %d is not described as %s", r.status, media)
	}
	if !strings.Contains(media, "json") {
		return nil
	}
	place := content.Schema.Ref
	if place == "" {
		inPointer := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
		place = fmt.Sprintf("#/paths/%s/%s/responses/%d/content/%s/schema",
			inPointer.Replace(route.Path), strings.ToLower(route.Method), r.status, inPointer.Replace(media))
	}
	return d.fits(place, body)
}

// fitsHeaders validates the headers. The validator of the library compiles the schema of each
// header for each response.
func (d *description) fitsHeaders(response *openapi3.ResponseRef, sent http.Header) error {
	for name, header := range response.Value.Headers {
		values := sent.Values(name)
		if len(values) == 0 {
			if header.Value.Required {
				return fmt.Errorf("the header %s is missing", name)
			}
			continue
		}
		text := strings.Join(values, ",")
		value := func() (any, error) { return text, nil }
		if !header.Value.Schema.Value.Type.Is("string") {
			value = parsed(text)
		}
		place := cmp.Or(header.Ref, response.Ref+"/headers/"+name)
		if err := d.fits(place+"/schema", value); err != nil {
			return fmt.Errorf("the header %s: %w", name, err)
		}
	}
	return nil
}

// conforms checks that the documents describe the response.
func (r *reply) conforms(request *http.Request) {
	r.t.Helper()
	if request.Method == http.MethodHead || request.Method == http.MethodOptions || r.isDryRun() {
		return // the ids of a dry run may be null, contrary to their schema
	}
	body := parsed(r.body)
	r.conformsTo(described().whole, request, body)
	if request.URL.Query().Get("fields") == "" && hasToken(request) {
		r.conformsTo(described().codegen, request, body)
	}
}

func hasToken(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.Header.Get("access-token") != "" || r.URL.Query().Has("access-token") || r.URL.Query().Has("auth_key")
}

// conformsTo checks that the document describes the response: its status, its headers
// and, unless it is XML, its body. Other tests show that XML and JSON agree.
func (r *reply) conformsTo(d *description, request *http.Request, body func() (any, error)) {
	r.t.Helper()
	route := operationAt(d, request)
	if route == nil {
		r.isProblem(d, body)
		return
	}
	err := d.fitsResponse(route, r, body)
	if err != nil {
		r.t.Errorf("%s: the response does not conform to the document: %v\n%d %v\n%s", r.what, err, r.status, r.header, r.body)
	}
}

// operationAt returns the operation of the document for the request; nil if there is
// none.
func operationAt(d *description, request *http.Request) *routers.Route {
	plain := strings.TrimRight(request.URL.Path, "/")
	segments := strings.Split(plain, "/")
	for path, item := range d.Paths.Map() {
		template := strings.Split(path, "/")
		if !slices.EqualFunc(template, segments, func(t, s string) bool { return t == s || strings.HasPrefix(t, "{") && s != "" }) {
			continue
		}
		if operation := item.Operations()[request.Method]; operation != nil {
			return &routers.Route{Spec: d.T, Path: path, PathItem: item, Method: request.Method, Operation: operation}
		}
	}
	return nil
}

// isProblem checks the response for a path or a method that the document does not
// have.
func (r *reply) isProblem(d *description, body func() (any, error)) {
	r.t.Helper()
	if r.header.Get("Content-Type") != "application/problem+json; charset=utf-8" {
		return
	}
	if err := d.fits("#/components/schemas/Problem", body); err != nil {
		r.t.Errorf("%s: the problem does not conform to the document: %v\n%s", r.what, err, r.body)
	}
}

// contract 1.53, 1.81
func TestOpenAPIDocumentIsServedAndValid(t *testing.T) {
	t.Parallel()
	s := start(t)
	response := s.nobody().get("/openapi.json").wants(http.StatusOK)
	if response.body != string(docs.OpenAPI) || response.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("the served document differs; its type is %s", response.header.Get("Content-Type"))
	}
	if got := s.nobody().get("/openapi-codegen.json").wants(http.StatusOK); got.body != string(docs.OpenAPICodegen) {
		t.Error("the served document for code generators differs")
	}
	for _, d := range []*description{described().whole, described().codegen} {
		if err := d.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
			t.Error(err)
		}
		if v := d.OpenAPI; !strings.HasPrefix(v, "3.1.") {
			t.Errorf("the version is %s", v)
		}
	}
}

// contract 1.81
func TestOpenAPIRequiresAttributesForCodeGeneratorsOnly(t *testing.T) {
	for name, whole := range described().whole.Components.Schemas {
		codegen := described().codegen.Components.Schemas[name]
		if codegen == nil {
			t.Errorf("code generators get no schema %s", name)
			continue
		}
		isBody := name == "Problem" || slices.ContainsFunc([]string{"New", "Changes", "Credit", "Attributes"}, func(suffix string) bool {
			return strings.HasSuffix(name, suffix)
		})
		if isBody != slices.Equal(whole.Value.Required, codegen.Value.Required) && codegen.Value.Required != nil {
			t.Errorf("%s requires %v, and %v for code generators", name, whole.Value.Required, codegen.Value.Required)
		}
	}
	for path, item := range described().codegen.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, "fields") != nil {
				t.Errorf("%s %s has the parameter fields", method, path)
			}
			if got, want := operation.OperationID, described().whole.Paths.Value(path).Operations()[method].OperationID; got != want {
				t.Errorf("%s %s is %s, want %s", method, path, got, want)
			}
		}
	}
	if required := described().codegen.Components.Schemas["Client"].Value.Required; !slices.Contains(required, "name") {
		t.Errorf("a client requires %v for code generators", required)
	}
}

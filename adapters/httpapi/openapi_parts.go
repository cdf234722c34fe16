package httpapi

import (
	"net/http"
	"strings"
)

const introduction = `Companies keep managers, clients, contacts, deals and invoices in Kontor; their other programs read and write them here.

Every answer is JSON or XML: ` + "`_format`" + ` in the query decides, else ` + "`Accept`" + `, else the default of the resource. XML shows the same values as text; true is 1, false and null are empty elements.

The attributes that a schema requires are those that an answer has when ` + "`fields`" + ` is not given; with it, an answer has only what it names.

A number may be sent as a text, a boolean as 1 or 0, and an empty text instead of null. Attributes that a write does not know are ignored.`

// bodyTypes are the types of a body that a write takes.
var bodyTypes = []string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml"}

// securitySchemes are the places of a token.
var securitySchemes = object{
	{"bearer", object{{"type", "http"}, {"scheme", "bearer"}}},
	{"basic", object{{"type", "http"}, {"scheme", "basic"}, {"description", "The token as user name, with any password."}}},
	{"header", object{{"type", "apiKey"}, {"in", "header"}, {"name", "access-token"}}},
	{"auth_key", object{{"type", "apiKey"}, {"in", "query"}, {"name", tokenParameters[0]}}},
	{"access-token", object{{"type", "apiKey"}, {"in", "query"}, {"name", tokenParameters[1]}}},
}

// securityChoices lets any one of the schemes do.
var securityChoices = func() (choices []object) {
	for _, scheme := range securitySchemes {
		choices = append(choices, object{{scheme.name, []string{}}})
	}
	return choices
}()

// sharedParameters are those that many routes have.
var sharedParameters = func() (all object) {
	share := func(name, in, about string, schema object) {
		all = all.with(name, object{{"name", name}, {"in", in}, {"description", about}, {"schema", schema}})
	}
	share("_format", "query", "The format of the answer; it wins over Accept.", choice("json", "xml"))
	share("page", "query", "The page, from 1.", object{{"type", "integer"}, {"format", "int64"}, {"minimum", 1}})
	share("cursor", "query", "Where the page begins, as Link has it: page then only tells its number.", textSchema(maxCursor))
	share(idempotencyKey, "header", "Names this creation: asked for again under the same key within 24 hours, it gets the first answer and "+
		"is not carried out again.", object{{"type", "string"}, {"minLength", 1}, {"maxLength", maxKey}, {"pattern", "^[!-~]+$"}})
	share("If-Match", "header", "The ETag of the record as it was read, or *: if the record has another version since, nothing is done.", textSchema(0))
	share("If-None-Match", "header", "An ETag: if the record still has it, the answer is a 304 without a body.", textSchema(0))
	return all
}()

var problemSchema = object{
	{"type", "object"},
	{"description", "A problem document (RFC 9457)."},
	{"required", []string{"type", "title", "status", "detail", "message", "request_id"}},
	{"properties", object{
		{"type", choice("about:blank", unknownOutcome)},
		{"title", textSchema(0)},
		{"status", object{{"type", "integer"}, {"minimum", 400}, {"maximum", 599}}},
		{"detail", textSchema(0)},
		{"message", textSchema(0).with("description", "The same as detail.")},
		{"request_id", textSchema(0).with("description", "The log knows the request by it.")},
		{"errors", object{
			{"type", "array"},
			{"description", "Of a 422: every field that is wrong."},
			{"items", object{
				{"type", "object"},
				{"required", []string{"field", "message"}},
				{"properties", object{
					{"field", textSchema(0).with("examples", []string{"items[1].count"})},
					{"message", textSchema(0).with("examples", []string{"must not be 0"})},
				}},
				{"additionalProperties", false},
			}},
		}},
	}},
	{"additionalProperties", false},
}

// problems are the statuses of problem documents and when they come.
var problems = []struct {
	status int
	about  string
}{
	{http.StatusBadRequest, "A parameter, or the body as a whole, cannot be read."},
	{http.StatusUnauthorized, "There is no token, or none that is good."},
	{http.StatusForbidden, "The role does not allow it."},
	{http.StatusNotFound, "There is no such record."},
	{http.StatusNotAcceptable, "The answer has no format that is asked for."},
	{http.StatusConflict, "The records would no longer fit together, or the state of the record forbids it."},
	{http.StatusPreconditionFailed, "The record has another version than If-Match names."},
	{http.StatusRequestEntityTooLarge, "The body is too large."},
	{http.StatusUnsupportedMediaType, "The body has a type that is not taken."},
	{http.StatusUnprocessableEntity, "The record that was sent breaks a rule; errors names every wrong field."},
	{http.StatusTooManyRequests, "The token asks too often."},
	{http.StatusInternalServerError, "A fault of the service; the log knows it by request_id."},
	{http.StatusServiceUnavailable, "The database cannot be reached or is too busy. Of the type " + unknownOutcome +
		": whether the change was stored is not known; a creation can be repeated under the same " + idempotencyKey + "."},
}

// problemName is what the response of that status is called.
func problemName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

func problemResponses() object {
	var all object
	for _, p := range problems {
		headers := object{}
		switch p.status {
		case http.StatusUnauthorized:
			headers = headers.with("WWW-Authenticate", reference("headers", "WWW-Authenticate"))
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			headers = headers.with("Retry-After", reference("headers", "Retry-After"))
		}
		schema := object{{"schema", reference("schemas", "Problem")}}
		response := object{{"description", p.about}}
		if len(headers) > 0 {
			response = response.with("headers", headers)
		}
		all = all.with(problemName(p.status), response.with("content", object{
			{"application/problem+json", schema},
			{"application/problem+xml", object{}},
		}))
	}
	return all
}

// headerSchemas are the headers that answers share.
var headerSchemas = func() object {
	header := func(about string, schema object) object {
		return object{{"description", about}, {"required", true}, {"schema", schema}}
	}
	count := object{{"type", "integer"}, {"format", "int64"}, {"minimum", 0}}
	all := object{
		{"WWW-Authenticate", header("How to show a token.", textSchema(0))},
		{"Retry-After", header("How many seconds to wait.", count)},
		{"ETag", header("The version of the record and a hash of this body.", patternSchema(`^"[0-9]+-[0-9a-f]+"$`, `"3-5f0c2a91b7de0c44"`))},
		{"Location", header("The address of the new record.", textSchema(0).with("format", "uri"))},
		{"Link", header("The addresses of other pages of the list (RFC 8288).", textSchema(0))},
	}
	for _, h := range pageHeaders {
		// The other spelling is told of and not described: generators make one
		// name of both.
		all = all.with(h.hyphened, header(h.about+" "+h.underscored+" says the same.", count))
	}
	return all
}()

// answerHeaders are the headers of a success.
func answerHeaders(o operation) object {
	var all object
	add := func(names ...string) {
		for _, name := range names {
			all = all.with(name, reference("headers", name))
		}
	}
	switch {
	case o.verb == listing && o.table.PerPage > 0 && !o.table.PagedIfAsked:
		for _, h := range pageHeaders {
			add(h.hyphened)
		}
		add("Link")
	case o.verb == creating:
		add("Location", "ETag")
		all = all.with(replayed, object{{"description", "true, if the creation was carried out before."}, {"schema", choice("true")}})
	case o.verb == reading || o.verb == updating:
		add("ETag")
	}
	return all
}

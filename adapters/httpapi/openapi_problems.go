package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/domain/fault"
)

var problemSchema = object{
	{"type", "object"},
	{"description", "A problem document (RFC 9457): why the request was refused."},
	{"required", []string{"type", "title", "status", "detail", "message", "request_id"}},
	{"properties", object{
		{"type", choice("about:blank", problem.UnknownOutcome).with("description",
			"about:blank: the status says it all; "+problem.UnknownOutcome+": whether the change was stored is not known.")},
		{"title", textSchema(0).with("description", "What the status is called.")},
		{"status", object{{"type", "integer"}, {"minimum", 400}, {"maximum", 599}}},
		{"detail", textSchema(0).with("description", "What is wrong, for people to read; the words may change.")},
		{"message", textSchema(0).with("description", "The same as detail, for older clients.")},
		{"request_id", textSchema(0).with("description", "The same as X-Request-Id: the log knows the request by it.")},
		{"errors", object{
			{"type", "array"},
			{"description", "Of a 422: every field that is wrong."},
			{"xml", object{{"name", "errors"}, {"wrapped", true}}},
			{"items", object{
				{"type", "object"},
				{"required", []string{"field", "message"}},
				{"properties", object{
					{"field", textSchema(0).with("description", "The attribute; of a line with its position, from 0.").with("examples", []string{"items[1].count"})},
					{"message", textSchema(0).with("description", "What is wrong with it, for people to read.").with("examples", []string{"must not be 0"})},
				}},
				{"additionalProperties", false},
				{"xml", object{{"name", "error"}}},
			}},
		}},
	}},
	{"additionalProperties", false},
	{"xml", object{{"name", "problem"}, {"namespace", "urn:ietf:rfc:7807"}}},
}

// problems are the statuses of problem documents, when they come, what to do
// then, and an error that becomes one.
var problems = []struct {
	status int
	about  string
	err    error
}{
	{
		http.StatusBadRequest, "A parameter has a value that it cannot have, or the body cannot be read as one record. Sent again it fails again: mend the request.",
		fault.ForField(fault.Malformed, "per_page", "must be an integer between 1 and 500"),
	},
	{
		http.StatusUnauthorized, "There is no token, or none that is good: unknown, expired, revoked, or of a user who is disabled.",
		fault.New(fault.Unauthenticated, "a token is needed: send it as auth_key or as Authorization: Bearer"),
	},
	{
		http.StatusForbidden, "The role of the token's user does not allow it.",
		fault.New(fault.Forbidden, "the role %s may not write here", "viewer"),
	},
	{
		http.StatusNotFound, "There is no record with this id, or what the request asks about does not exist.",
		fault.New(fault.NotFound, "there is no such client"),
	},
	{
		http.StatusNotAcceptable, "The service has no format that the request accepts. Always in JSON.",
		problem.Error{Status: http.StatusNotAcceptable, Detail: "Accept must allow application/json, application/xml or text/xml"},
	},
	{
		http.StatusConflict, "The records would no longer fit together, or the state of the record forbids it. Change the other records, or the state, first.",
		fault.New(fault.Conflict, "the client has deals"),
	},
	{
		http.StatusPreconditionFailed, "The record has another version than `If-Match` names: somebody changed it. Read it again, then decide.",
		fault.New(fault.Stale, "the record has changed: its version is now %d", 4),
	},
	{
		http.StatusRequestEntityTooLarge, "The body is larger than the service takes.",
		problem.Error{Status: http.StatusRequestEntityTooLarge, Detail: "the body is larger than 1048576 bytes"},
	},
	{
		http.StatusUnsupportedMediaType, "The body has a type that is not taken; see `Content-Type` of the request.",
		problem.Error{
			Status: http.StatusUnsupportedMediaType,
			Detail: "the body must be application/json, application/xml, application/x-www-form-urlencoded or multipart/form-data",
		},
	},
	{
		http.StatusUnprocessableEntity, "The record that was sent breaks a rule, or refers to a record that is not there. `errors` names every wrong field at once.",
		fault.ForFields(fault.Invalid,
			fault.Field{Name: "number", Message: "must not be empty"}, fault.Field{Name: "items[1].name", Message: "must not be empty"}),
	},
	{
		http.StatusTooManyRequests, "The token has made too many requests, or too many wrong tokens came from the address. Wait for `Retry-After` seconds; nothing was done.",
		problem.Error{Status: http.StatusTooManyRequests, Detail: "the token has made more than 20 requests per second", RetryAfter: "1"},
	},
	{
		http.StatusInternalServerError, "A fault of the service. The log has the cause under `request_id`.",
		errAtFault,
	},
	{
		http.StatusServiceUnavailable, "The database cannot be reached or is too busy, or the request took too long. Wait for `Retry-After` seconds and repeat it. Of the type " +
			problem.UnknownOutcome + ": whether a change was stored is not known; a creation is safe to repeat under the same `" + idempotencyKey + "`.",
		fault.New(fault.Unavailable, "the database cannot be reached; try again"),
	},
}

// errAtFault stands for any error that nobody has foreseen.
var errAtFault = errors.New("unforeseen")

// problemName is what the response of that status is called.
func problemName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

func problemResponses() object {
	var all object
	for _, p := range problems {
		headers := object{}
		add := func(names ...string) {
			for _, name := range names {
				headers = headers.with(name, reference("headers", name))
			}
		}
		switch p.status {
		case http.StatusUnauthorized:
			add("WWW-Authenticate")
		case http.StatusTooManyRequests:
			add("Retry-After")
			add(commonHeaders[1:]...)
		case http.StatusServiceUnavailable:
			add("Retry-After")
		}
		add(requestIDHeader)
		all = all.with(problemName(p.status), object{
			{"description", p.about}, {"headers", headers}, {"content", problemContent(p.err)},
		})
	}
	return all
}

// problemContent is the problem that the error becomes, in both formats; a 406
// has only one.
func problemContent(err error) object {
	p, _ := problem.Of(err)
	p.RequestID = "5f0c2a91b7de0c44"
	content := object{{"application/problem+json", problemPart(json.RawMessage(p.JSON()))}}
	if p.Status == http.StatusNotAcceptable {
		return content
	}
	return content.with("application/problem+xml", problemPart(indented(string(p.XML()))))
}

func problemPart(example any) object {
	return object{
		{"schema", reference("schemas", "Problem")},
		{"examples", object{{"usual", object{{"value", example}}}}},
	}
}

package openapi

import (
	"net/http"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
)

var problemSchema = object{
	{"type", "object"},
	{"description", "A problem document (RFC 9457): the reason why a request failed."},
	{"required", []string{"type", "title", "status", "code", "detail", "message", "request_id"}},
	{"properties", object{
		{"type", object{
			{"type", "string"}, {"enum", []string{"about:blank", problem.UnknownOutcome, problem.QueryTooSlow}},
			{"description", "about:blank: the status is the only type of the error; " + problem.UnknownOutcome + ": it is unknown " +
				"whether the change was stored; " +
				problem.QueryTooSlow + ": repeating the query will not help."},
		}},
		{"title", text("The name of the status.")},
		{"status", object{{"type", "integer"}, {"minimum", 400}, {"maximum", 599}}},
		{"code", codeSchema("What is wrong, for programs; a code keeps its meaning.")},
		{"detail", text("The error, for people to read; the wording may change.")},
		{"message", text("The same as detail, for older clients.")},
		{"request_id", text("The same as X-Request-Id: the id of the request in the log.")},
		{"errors", object{
			{"type", "array"},
			{"description", "In a 422: every rejected field. In a 409 with the code taken: the field, and the record that has its value. " +
				"In other responses: the business rules that refuse the change."},
			{"xml", object{{"name", "errors"}, {"wrapped", true}}},
			{"items", object{
				{"type", "object"},
				{"required", []string{"field", "code", "message"}},
				{"properties", object{
					{"field", text("The attribute; that of a line with its index, from 0. Empty: the record as a whole.").
						with("examples", []string{"items[1].count"})},
					{"code", codeSchema("What is wrong with the field, for programs.")},
					{"message", text("What is wrong with the field, for people to read.").with("examples", []string{"must not be 0"})},
					{"rule", text("The name of the business rule that refuses the change; missing for other errors.").
						with("examples", []string{"debtor-gets-no-deal"})},
					{"resource", text("The resource of the record that the error is about, if it is another one than was sent.").
						with("examples", []string{"deal"})},
					{"record_id", schemaOf(apidoc.ID).with("description", "The id of that record; missing if it is new.")},
				}},
				{"additionalProperties", false},
				{"xml", object{{"name", "error"}}},
			}},
		}},
		{"references", referencesSchema},
		{"items", object{
			{"type", "array"}, {"items", reference("schemas", "Finding")},
			{"description", "With the code incomplete: what the document lacks."},
			{"xml", object{{"name", "items"}, {"wrapped", true}}},
		}},
		{"verdicts", reference("schemas", "Verdicts")},
	}},
	{"additionalProperties", false},
	{"xml", object{{"name", "problem"}, {"namespace", "urn:ietf:rfc:7807"}}},
}

var referencesSchema = object{
	{"type", "object"},
	{"description", "With the code in_use: how many records of each kind refer to the record; 1000 means at least that many."},
	{"properties", object{
		{"contracts", count}, {"deal_history", count}, {"deals", count}, {"invoices", count}, {"offers", count}, {"payments", count},
	}},
	{"additionalProperties", false},
}

var verdictsSchema = object{
	{"type", "array"},
	{"description", "Of a dry run: the verdict of each rule that was evaluated."},
	{"xml", object{{"name", "verdicts"}, {"wrapped", true}}},
	{"items", object{
		{"type", "object"},
		{"required", []string{"rule", "mode", "outcome"}},
		{"properties", object{
			{"rule", text("The name of the rule.").with("examples", []string{"debtor-gets-no-deal"})},
			{"mode", object{{"type", "string"}, {"enum", []string{"shadow", "warn", "enforce"}}}},
			{"outcome", object{{"type", "string"}, {"enum", []string{"passed", "refused", "failed"}}}},
			{"field", text("The attribute of the first refusal; missing for the record as a whole.")},
			{"message", text("Why the rule refuses the change; missing if it passes.")},
			{"resource", text("The resource of the refused record, if it is another one than was sent.")},
			{"record_id", schemaOf(apidoc.ID).with("description", "The id of that record; missing if it is new.")},
		}},
		{"additionalProperties", false},
		{"xml", object{{"name", "verdict"}}},
	}},
}

func codeSchema(description string) object {
	return object{{"type", "string"}, {"enum", problem.Codes}, {"description", description}}
}

func text(description string) object {
	return object{{"type", "string"}, {"description", description}}
}

// problems are the statuses of problem documents: when they occur, and what to do then.
var problems = []struct {
	status      int
	description string
}{
	{http.StatusBadRequest, "A parameter has an invalid value, or the body cannot be parsed as one record. Do not repeat the " +
		"request unchanged."},
	{http.StatusUnauthorized, "The token is missing or invalid: unknown, expired, revoked, or of a disabled user."},
	{http.StatusForbidden, "The role of the token's user does not allow the request, or the token lacks a scope, which `detail` names."},
	{http.StatusNotFound, "There is no record with this id, or a record that the request is about does not exist."},
	{http.StatusNotAcceptable, "The service has no format that the request accepts. Always in JSON."},
	{http.StatusConflict, "The request conflicts with other records or with the state of the record. Change these first."},
	{http.StatusPreconditionFailed, "The record's version is not the one in `If-Match`, or is one in `If-None-Match`. " +
		"Read it again, then decide."},
	{http.StatusRequestEntityTooLarge, "The body is larger than the service accepts."},
	{http.StatusUnsupportedMediaType, "The `Content-Type` of the body is not supported, or it is compressed."},
	{http.StatusUnprocessableEntity, "The record in the body breaks a rule or refers to a record that does not exist. `errors` " +
		"lists every rejected field."},
	{http.StatusTooManyRequests, "Too many requests with the token, per second or in flight, or too many invalid tokens from the " +
		"IP address. Nothing was done; wait for `Retry-After` seconds."},
	{http.StatusInternalServerError, "An internal error. The log has the cause under `request_id`."},
	{http.StatusServiceUnavailable, "The database is unreachable or too busy, or the request took too long. Wait for `Retry-After` " +
		"seconds and repeat it. With type " +
		problem.UnknownOutcome + ", it is unknown whether the change was stored; a creation is safe to repeat with the same " +
		"`Idempotency-Key`. With type " +
		problem.QueryTooSlow + " there is no `Retry-After`: the list takes too long and will again; `detail` says what is faster."},
}

func problemName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

func problemResponses() object {
	var all object
	for _, p := range problems {
		var headers []string
		var own object
		switch p.status {
		case http.StatusUnauthorized:
			headers = append(headers, "WWW-Authenticate")
		case http.StatusTooManyRequests:
			headers = append(append(headers, "Retry-After"), rateLimitHeaders...)
		case http.StatusServiceUnavailable:
			own = object{{"Retry-After", object{
				{"description", "The seconds to wait before repeating the request; none if that does not help."}, {"schema", count},
			}}}
		}
		all = all.with(problemName(p.status), object{
			{"description", p.description},
			{"headers", append(own, headerReferences(append(headers, "X-Request-Id")...)...)},
			{"content", problemContent(p.status)},
		})
	}
	return all
}

// problemContent returns the problem in both formats; a 406 has only JSON.
func problemContent(status int) object {
	part := object{{"schema", reference("schemas", "Problem")}}
	content := object{{"application/problem+json", part}}
	if status == http.StatusNotAcceptable {
		return content
	}
	return content.with("application/problem+xml", part)
}

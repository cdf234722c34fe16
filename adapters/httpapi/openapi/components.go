package openapi

import (
	"slices"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
)

var bodyTypes = []string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml"}

func reference(kind, name string) object {
	return object{{"$ref", "#/components/" + kind + "/" + name}}
}

func headerReferences(names ...string) (all object) {
	for _, name := range names {
		all = all.with(name, reference("headers", name))
	}
	return all
}

var securitySchemes = object{
	{"bearer", object{
		{"type", "http"}, {"scheme", "bearer"},
		{"description", "The token in `Authorization: Bearer`. The best choice: it appears in no log and no link."},
	}},
	{"basic", object{
		{"type", "http"}, {"scheme", "basic"},
		{"description", "The token as the user name, with any password, for clients that support only HTTP Basic."},
	}},
	{"header", apiKey("header", "access-token", "The token in a header of its own.")},
	{"auth_key", apiKey("query", "auth_key", "The token in the query. URLs end up in logs and histories: prefer a header.")},
	{"access-token", apiKey("query", "access-token", "The same under another name. `Link` uses it when the token of the request "+
		"was in the query.")},
}

func apiKey(in, name, description string) object {
	return object{{"type", "apiKey"}, {"in", in}, {"name", name}, {"description", description}}
}

// securityChoices makes any one of the schemes sufficient.
func securityChoices() (choices []object) {
	for _, scheme := range securitySchemes {
		choices = append(choices, object{{scheme.name, []string{}}})
	}
	return choices
}

func sharedParameters() (all object) {
	share := func(name, in, description string, schema apidoc.Schema) {
		all = all.with(name, object{{"name", name}, {"in", in}, {"description", description}, {"schema", schema}})
	}
	share("_format", "query",
		"The format of the response. It overrides `Accept`; any other value is a 406, and so is `csv` for anything but a list.",
		`{"type":"string","enum":["json","xml","csv"]}`)
	share("page", "query", "The number of the page, from 1. A page after the last is an empty list.",
		`{"type":"integer","format":"int64","minimum":1,"default":1}`)
	share("cursor", "query", "The position of the page, as in the URLs in `Link`; `page` is then only its number. "+
		"A cursor is opaque, and valid only for the list and the sort that it comes from.", apidoc.Text(4096))
	share("all", "query", "With 1 and CSV, the whole list in one response, from one snapshot, without page headers. A token gets one such "+
		"response at a time (429). One that breaks off ends without its last chunk.", apidoc.Flag)
	share("Idempotency-Key", "header", "A unique key for this creation, such as a random UUID. A request with the same key, path "+
		"and body within 24 hours is not executed again: it gets the first response, with `Idempotent-Replayed: true`. The same key "+
		"with another body is a 422. A failed write leaves its key unused.",
		`{"type":"string","minLength":1,"maxLength":255,"pattern":"^[!-~]+$"}`)
	share("Prefer", "header", "`dry-run` checks and computes everything, and stores nothing. The response is that of the write, "+
		"with `Preference-Applied: dry-run`, and without `Location` and `ETag`: the ids of records that the write would create are "+
		"null in it, contrary to its schema. Other preferences are ignored, and then the write is stored: "+
		"use `dry_run`, of which a misspelling is an error.", `{"type":"string","examples":["dry-run"]}`)
	share("dry_run", "query", "1 is the same as `Prefer: dry-run`.", apidoc.Flag)
	share("If-Match", "header", "The `ETag` of the record as it was read, or `*`. Only the version in it is compared, so that it "+
		"may come from a response in any format and with any `fields`. "+
		"If the record has another version, nothing changes: 412.", apidoc.Text(0))
	share("If-None-Match", "header", "One `ETag`, several (comma-separated), or `*`. If the record still has one of them, the "+
		"response is a 304 without a body. In a write, only the version counts: nothing changes if the record has it, 412.",
		apidoc.Text(0))
	return all
}

// count is the schema of a header that is a number.
const count apidoc.Schema = `{"type":"integer","format":"int64","minimum":0}`

func headerSchemas() object {
	required := func(description string, schema apidoc.Schema) object {
		return object{{"description", description}, {"required", true}, {"schema", schema}}
	}
	optional := func(description string, schema apidoc.Schema) object {
		return object{{"description", description}, {"schema", schema}}
	}
	all := object{
		{"X-Request-Id", required("The id of the request, also in the log. A request may bring its own in a header of this name: 1 to "+
			"64 visible ASCII characters.",
			apidoc.Text(0)).with("example", "5f0c2a91b7de0c44")},
		{"ETag", required("The version of the record and a hash of this body.",
			apidoc.Pattern(`^"[0-9]+-[0-9a-f]+(-gzip)?"$`, `"3-5f0c2a91b7de0c44"`))},
		{"Location", required("The absolute URL of the new record.", `{"type":"string","format":"uri"}`)},
		{"Idempotent-Replayed", optional("`true` if the record was created by an earlier request and this is its response.",
			`{"type":"string","enum":["true"]}`)},
		{"Preference-Applied", optional("`dry-run` if the request asked for one: nothing is stored, and the body has the verdicts of "+
			"rules, in XML as the last element `verdicts` of `response`, with elements `verdict`.", `{"type":"string","enum":["dry-run"]}`)},
		{"Kontor-Warning", optional("The names of the rules in the mode `warn` that would have refused the write, separated by commas. "+
			"Warnings of the service itself begin with `*`: `*chronology` of a date before that of the number before it, `*ignored` of "+
			"unknown names (`KONTOR_LENIENT`), `*more` if there are more names than fit.",
			apidoc.Text(0)).with("example", "credit-limit, long-names")},
		{"Link", required("The URLs of pages of the list (RFC 8288): self and last, and first, prev and next where these exist. "+
			"Each repeats the query of the request and can be requested as it is. With a long query, some other than next are missing.",
			apidoc.Text(0))},
		{"RateLimit-Limit", optional("If a rate limit is set: the size of a burst.", count)},
		{"RateLimit-Remaining", optional("If a rate limit is set: the requests left at the moment.", count)},
		{"RateLimit-Reset", optional("If a rate limit is set: the seconds until a full burst is available again.", count)},
		{"Retry-After", required("The seconds to wait before repeating the request.", count)},
		{"WWW-Authenticate", required("How to send a token.", apidoc.Text(0)).with("example", `Bearer realm="kontor"`)},
	}
	for _, h := range pageHeaders {
		// The other spelling is mentioned only: generators would make one name of both.
		all = all.with(h.name, required(h.description+" The header "+h.alias+" has the same value.", count))
	}
	return all
}

var pageHeaders = []struct{ name, alias, description string }{
	{"X-Pagination-Total-Count", "X_Pagination_Total_Count", "The number of records on all pages."},
	{"X-Pagination-Page-Count", "X_Pagination_Page_Count", "The number of pages."},
	{"X-Pagination-Current-Page", "X_Pagination_Current_Page", "The number of this page, from 1."},
	{"X-Pagination-Per-Page", "X_Pagination_Per_Page", "The number of records on a page."},
}

// rateLimitHeaders are on every response to a token with a rate limit. Of the problems, only
// the 429 lists them: generators make a type of each header, and half of the generated code
// would be these.
var rateLimitHeaders = []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}

func successHeaders(a apidoc.Action) object {
	return headerReferences(slices.Concat(a.Headers, []string{"X-Request-Id"}, rateLimitHeaders)...)
}

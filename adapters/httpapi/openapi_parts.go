package httpapi

// bodyTypes are the types of a body that a write takes.
var bodyTypes = []string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml"}

// securitySchemes are the places of a token.
var securitySchemes = func() object {
	scheme := func(about string, members ...member) object {
		return append(object(members), member{"description", about})
	}
	place := func(in, name, about string) object {
		return scheme(about, member{"type", "apiKey"}, member{"in", in}, member{"name", name})
	}
	return object{
		{"bearer", scheme("The token behind `Authorization: Bearer`. The best choice: no log and no link shows it.",
			member{"type", "http"}, member{"scheme", "bearer"})},
		{"basic", scheme("The token as user name, with any password, for programs that know nothing else.",
			member{"type", "http"}, member{"scheme", "basic"})},
		{"header", place("header", "access-token", "The token in a header of its own.")},
		{"auth_key", place("query", tokenParameters[0], "The token in the address. Addresses end up in logs and histories: prefer a header.")},
		{"access-token", place("query", tokenParameters[1], "The same under another name, which `Link` uses for callers whose token came in the address.")},
	}
}()

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
	share("_format", "query", "The format of the answer. It wins over `Accept`; a value other than these is a 406.", choice("json", "xml"))
	share("page", "query", "The page, from 1. One behind the last is an empty list.",
		object{{"type", "integer"}, {"format", "int64"}, {"minimum", 1}, {"default", 1}})
	share("cursor", "query", "Where the page begins, as the addresses in `Link` have it; then `page` only tells its number. "+
		"It is not for clients to make or to read, and belongs to the list and the sort that made it.", textSchema(maxCursor))
	share(idempotencyKey, "header", "Names this creation, such as a random UUID. A request with the same key, path and body within 24 hours is not carried out "+
		"again: it gets the first answer, with `"+replayed+": true`. The same key with another body is a 422. A refused write leaves its key free.",
		object{{"type", "string"}, {"minLength", 1}, {"maxLength", maxKey}, {"pattern", "^[!-~]+$"}})
	share("If-Match", "header", "The `ETag` of the record as it was read, or `*`. Only the version in it counts, so that it may come from an answer of any shape. "+
		"If the record has another version by now, nothing is done: 412.", textSchema(0))
	share("If-None-Match", "header", "An `ETag`, or several parted by commas, or `*`. If the answer still has it, a 304 comes without a body.", textSchema(0))
	return all
}()

// headerSchemas are the headers that answers share.
var headerSchemas = func() object {
	header := func(about string, schema object) object {
		return object{{"description", about}, {"required", true}, {"schema", schema}}
	}
	count := object{{"type", "integer"}, {"format", "int64"}, {"minimum", 0}}
	optional := func(about string, schema object) object { return object{{"description", about}, {"schema", schema}} }
	all := object{
		{requestIDHeader, header("The name of the request, which the log has too. A request may bring its own in a header of this name: 1 to 64 visible ASCII characters.", textSchema(0)).with("example", "5f0c2a91b7de0c44")},
		{"ETag", header("The version of the record and a hash of this very body.", patternSchema(`^"[0-9]+-[0-9a-f]+"$`, `"3-5f0c2a91b7de0c44"`))},
		{"Location", header("The absolute address of the new record.", textSchema(0).with("format", "uri"))},
		{replayed, optional("`true`, if the creation was carried out before and this is its first answer.", choice("true"))},
		{"Link", header("Addresses of the list's pages (RFC 8288): self and last, and first, prev and next where there are such pages. "+
			"Each repeats the query of the request and can be followed as it is.", textSchema(0))},
		{"RateLimit-Limit", optional("While there is a limit on requests: how many may come at once.", count)},
		{"RateLimit-Remaining", optional("While there is a limit: how many of them may come now.", count)},
		{"RateLimit-Reset", optional("While there is a limit: in how many seconds all of them may again.", count)},
		{"Retry-After", header("How many seconds to wait before the request is repeated.", count)},
		{"WWW-Authenticate", header("How to show a token.", textSchema(0)).with("example", `Bearer realm="kontor"`)},
	}
	for _, h := range pageHeaders {
		// The other spelling is told of and not described: generators make one
		// name of both.
		all = all.with(h.hyphened, header(h.about+" "+h.underscored+" says the same.", count))
	}
	return all
}()

// commonHeaders are those of every answer to a caller who is known. Of problems,
// which have them too, only the 429 lists those about the limit: generators make
// types of headers, and half of what they make would be these.
var commonHeaders = []string{requestIDHeader, "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}

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
		add("Location", "ETag", replayed)
	case o.verb == reading || o.verb == updating:
		add("ETag")
	}
	add(commonHeaders...)
	return all
}

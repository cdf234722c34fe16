package openapi

import "strings"

// introduction is for readers who do not know the service yet. A test sends its requests.
var introduction = strings.ReplaceAll(strings.TrimSpace(`
Kontor stores the clients, contacts, deals and invoices of companies; their other programs read and write them through this API.

A **client** is a customer, a company or a person, and has a responsible user. **Contacts** are the people to talk to at a client. A **deal** is a negotiation with a client; it moves from **status** to status, and its history records each change. **Offers** and **contracts** are documents of a deal. An **invoice** belongs to a deal, is issued by a **performer**, one of our own companies, and consists of **lines**.

## The first request

The operator of the service issues you a token, such as ''kt_w3f9…''. Send it with every request:

''''''http
GET /rest/client?per_page=5&_format=json
Authorization: Bearer kt_w3f9…
''''''

Every success has status 200 and one root, ''response''. It contains a record, or a list of records in ''items''. POST creates a record, PUT and PATCH change the attributes in their body, DELETE deletes.

## Tokens

Send one token with each request, in one of the places listed under authorization. Several different tokens are a 401. There are no sessions and no cookies. The user of the token has a role: an *admin* may do everything; a *manager* reads everything, and writes clients, contacts, deals, offers, contracts and invoices; a *viewer* only reads.

## Lists

Filters are query parameters; a record must match all of them, and a filter without a value is ignored. Text filters match anywhere in the text, ignoring case. Unknown parameters are ignored; an invalid value is a 400.

''sort'' is a comma-separated list of attributes, each with a leading ''-'' to reverse its order. ''created_at'' and ''created_on'' are an exception: they sort the newest first, and with ''-'' the oldest.

''page'' and ''per_page'' (at most 500) select a page. The ''X-Pagination-…'' headers are always exact. To read a whole list, follow ''next'' in the ''Link'' header until there is none: its address has a ''cursor'', so that no record is missed or read twice while others write.

''''''http
GET /rest/invoice?status_id=1&year=2024&sort=date&per_page=50&_format=json
''''''

## Parts of a record

''fields=id,name'' returns only these attributes. ''expand=user'' returns a related record instead of its id, and ''fields=name,user.lname&expand=user'' parts of it. ''/openapi.json'' requires no attribute of a record in a response, because ''fields'' may leave out any. ''/openapi-codegen.json'' is the same document for code generators: it leaves out ''fields'' itself, and requires the attributes that a response without it has.

''''''http
GET /rest/deal?fields=name,client.name,status.name&expand=client,status
''''''

## Money

Amounts are decimal numbers in a string, always with four fraction digits: ''"86.4000"''. Do not parse them as binary floating point. The total of a line is its count times its price, rounded half away from zero to four digits; the sum, the VAT and the amount to pay of an invoice follow from its lines. The service computes them all; the amounts in a write are checked or ignored.

## Times

An instant looks like ''2024-03-09 16:05:00'', in the time zone of the service, which ''/version'' names. The ''date'' of an invoice, offer or contract is the date of the document and is not shifted by time zones.

## Errors

Every error is a problem document (RFC 9457), of type ''application/problem+json'' or, where the success would have been XML, ''application/problem+xml''. Decide by the status, show ''detail'' to people, and report ''request_id'' to the operator; the header ''X-Request-Id'' of every response has it too. A 422 lists every rejected field of the request in ''errors''. A failed request has stored nothing.

| Status | What to do |
|---|---|
| 400, 404, 405, 406, 413, 415, 422 | Fix the request. |
| 401, 403 | Use another token, or ask for another role. |
| 409 | Change the state or the other records first. |
| 412 | Read the record again, then decide. |
| 429, 503 | Wait for ''Retry-After'' seconds, then repeat. Without it, request something else: ''detail'' says what. |
| 500 | Report it to the operator. |

An operator may set a rate limit per token. Then every response, errors included, has ''RateLimit-Limit'', ''RateLimit-Remaining'' and ''RateLimit-Reset'', and a request beyond the limit is a 429. So is a request with a token that has too many others in flight, and one with an invalid token from an address that has sent too many.

## Repeating a request

GET, PUT, PATCH and DELETE can be repeated safely; the second DELETE is a 404. So can a POST with an ''Idempotency-Key'': sent again with the same key within 24 hours, it is not carried out a second time but gets the first response. Use a new random key for every record, and repeat the request after a timeout, a lost connection or a 503.

## Concurrent writes

Each response with one record has an ''ETag''. Send it as ''If-Match'' with a PUT, PATCH or DELETE: if the record has been changed since, the response is a 412 and nothing is done. Without ''If-Match'' the last writer wins.

## Formats

Responses are JSON or XML. ''_format=json'' or ''_format=xml'' in the query decides, then ''Accept'', then a default: XML for users, statuses and invoices and JSON for the rest, unless the operator has configured another. It is best to ask for a format.

XML has the same values as text: true is ''1'', false and null are empty elements. The root is ''response''; a list repeats ''item''.

A body may be JSON, XML (an element for each attribute, below a root of any name) or either kind of form, in which lines are ''items[0][name]=…''. A number may be sent as a text, a boolean as 1 or 0, and an empty text instead of null. The response to a GET can be sent back unchanged. Unknown attributes are ignored.

## Tracing a request

Every response has an ''X-Request-Id'', which is also in the log: that of the request, if it has 1 to 64 visible ASCII characters, else a new one. If a request has a header ''Server-Timing'' with any value, the response reports its total time and its database time in the same header.

## Methods

Every path with GET also has HEAD. OPTIONS returns 204 with the methods of the path in ''Allow'', without a token. Any other method is a 405, also with ''Allow''. A trailing slash makes no difference. No response may be cached without revalidation: all have ''Cache-Control: private, no-cache''.
`), "''", "`")

package openapi

import "strings"

// introduction is for readers who do not know the service yet. A test sends its requests.
var introduction = strings.ReplaceAll(strings.TrimSpace(`
Kontor stores clients, contacts, deals and invoices. Other programs read and write them through this API.

A **client** is a customer, either a company or a person, and has a responsible user. **Contacts** are the people to talk to at a client. A **deal** is a business transaction with a client. It has a **status**, and its history records each change of the status. **Offers** and **contracts** are documents of a deal. An **invoice** belongs to a deal, is issued by a **performer**, one of your own companies, and consists of **lines**.

## The first request

The operator of the service issues you a token, such as ''kt_w3f9…''. Send it with every request:

''''''http
GET /rest/client?per_page=5&_format=json
Authorization: Bearer kt_w3f9…
''''''

Every successful response has status 200 and one root, ''response'', which contains a record, or a list of records in ''items''. POST creates a record, PUT and PATCH change the attributes in their body, and DELETE deletes a record.

## Tokens

Send one token with each request, in one of the places listed under authorization. Two different tokens in one request are a 401. There are no sessions and no cookies. The user of the token has a role: an *admin* may do everything; a *manager* reads everything, and writes clients, contacts, deals, offers, contracts and invoices; a *viewer* only reads.

## Lists

Filters are query parameters; a record must match all of them, and a filter without a value is ignored. Text filters match anywhere in the text, ignoring case. Unknown parameters are ignored; an invalid value is a 400.

''sort'' is a comma-separated list of attributes, each with a leading ''-'' to reverse its order. ''created_at'' and ''created_on'' are an exception: they sort the newest first, and with ''-'' the oldest.

''page'' and ''per_page'' (at most 500) select a page. The ''X-Pagination-…'' headers are always exact. To read a whole list, follow ''next'' in the ''Link'' header until there is none: its URL has a ''cursor'', so that no record is missed or read twice while others write.

''''''http
GET /rest/invoice?status_id=1&year=2024&sort=date&per_page=50&_format=json
''''''

## Parts of a record

''fields=id,name'' returns only these attributes. ''expand=user'' returns a related record instead of its id, and ''fields=name,user.lname&expand=user'' parts of it. ''/openapi.json'' requires no attribute of a record in a response, because ''fields'' may leave out any. ''/openapi-codegen.json'' is the same document for code generators: it leaves out ''fields'' itself, and requires the attributes that a response without it has.

''''''http
GET /rest/deal?fields=name,client.name,status.name&expand=client,status
''''''

## Money

Amounts are decimal numbers in a string, always with four fraction digits: ''"86.4000"''. Do not parse them as binary floating point. The total of a line is its count times its price, rounded half away from zero to four digits; the sum, the VAT and the amount to pay of an invoice are computed from its lines. In the body of a write, the total of a line is checked, and the other computed amounts are ignored.

## Times

An instant looks like ''2024-03-09 16:05:00'', in the time zone of the service, which ''/version'' names. The ''date'' of an invoice, offer or contract is the date on the document, whatever the time zone.

## Errors

Every error is a problem document (RFC 9457), of type ''application/problem+json'' or, where the success would have been XML, ''application/problem+xml''. Let your program decide by the status, show ''detail'' to people, and report ''request_id'' to the operator; it is also in the header ''X-Request-Id'' of every response. A 422 lists every rejected field of the request in ''errors''. A failed request stores nothing, except perhaps a 503 of the type ''urn:kontor:outcome-unknown''.

| Status | What to do |
|---|---|
| 400, 404, 405, 406, 413, 415, 422 | Fix the request. |
| 401, 403 | Use another token, or ask for another role. |
| 409 | Change the state or the other records first. |
| 412 | Read the record again, then decide. |
| 429, 503 | Wait for ''Retry-After'' seconds, then repeat. Without it, request something else: ''detail'' says what. |
| 500 | Report it to the operator. |

An operator may set a rate limit per token. Then every response, errors included, has ''RateLimit-Limit'', ''RateLimit-Remaining'' and ''RateLimit-Reset'', and a request beyond the limit is a 429. A token with too many requests in flight gets a 429 too, and so does an IP address that has sent too many invalid tokens.

## Repeating a request

GET, PUT, PATCH and DELETE can be repeated safely; the second DELETE is a 404. A POST can be repeated if it has an ''Idempotency-Key'': sent again with the same key within 24 hours, it is not executed again, and gets the first response. Use a new random key for every record, and repeat the request after a timeout, a lost connection or a 503.

## Concurrent writes

Each response with one record has an ''ETag''. Send it as ''If-Match'' with a PUT, PATCH or DELETE: if the record has been changed since, the response is a 412 and nothing is stored. Without ''If-Match'', later writes overwrite earlier ones.

## Formats

Responses are JSON or XML. ''_format=json'' or ''_format=xml'' in the query decides, then ''Accept'', then a default: XML for users, statuses and invoices and JSON for the rest, unless the operator has configured another. Always ask for a format.

XML has the same values as text: true is ''1'', false and null are empty elements. The root is ''response''; a list repeats ''item''.

A body may be JSON, XML (an element for each attribute, below a root of any name) or either kind of form, in which lines are ''items[0][name]=…''. A number may be sent as a text, a boolean as 1 or 0, and an empty text instead of null. The response to a GET can be sent back unchanged. Unknown attributes are ignored.

## Tracing a request

Every response has an ''X-Request-Id'', which is also in the log: the one that the request brings, if it has 1 to 64 visible ASCII characters, otherwise a new one. If a request has a header ''Server-Timing'', with any value, the header of the same name in the response has the total time and the database time.

## Methods

Every path with GET also has HEAD. OPTIONS returns 204 with the methods of the path in ''Allow'', without a token. Any other method is a 405, also with ''Allow''. A trailing slash makes no difference. No response may be cached without revalidation: all have ''Cache-Control: private, no-cache''.
`), "''", "`")

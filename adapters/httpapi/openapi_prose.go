package httpapi

import "strings"

// introduction is what somebody reads who has never seen the service. A test
// sends the requests in it.
var introduction = strings.ReplaceAll(strings.TrimSpace(`
Companies keep managers, clients, contacts, deals and invoices in Kontor; their other programs read and write them here.

A **client** is the other side of business, a company or a person, and belongs to one of our managers. **Contacts** are people to talk to there. A **deal** is what is under negotiation with a client; it goes from **status** to status, and its history remembers that. **Offers** and **contracts** are papers of a deal. An **invoice** belongs to a deal, is issued by a **performer**, one of our own companies, and is made of **lines**.

## The first call

Whoever runs the service hands out a token, such as ''kt_w3f9…''. Send it with every request:

''''''http
GET /rest/client?per_page=5&_format=json
Authorization: Bearer kt_w3f9…
''''''

Whatever succeeds answers with status 200 and one root, ''response''. It holds a record, or a list of them under ''items''. POST makes a record, PUT and PATCH change what their body carries, DELETE removes.

## Tokens

One token goes with each request, in one of the places that are listed under authorization. Several that differ are a 401. No session is kept, and there are no cookies. The user of the token has a role: an *admin* may do everything; a *manager* reads everything, and writes clients, contacts, deals, offers, contracts and invoices; a *viewer* only reads.

## Lists

Filters are parameters of the query; all that are given must be met, and one without a value filters nothing. Text filters find their value anywhere in the text, in any case. What a list does not know it ignores; a value that cannot be is a 400.

''sort'' names attributes, parted by commas, each with ''-'' before it to turn it round. ''created_at'' and ''created_on'' are an exception worth knowing: they put the newest first, and with ''-'' the oldest.

''page'' and ''per_page'' (at most 500) choose a page. The ''X-Pagination-…'' headers count, always exactly. To walk through a list, follow ''next'' in the ''Link'' header until there is none: its address has a ''cursor'', so that nothing is missed or seen twice while others write.

''''''http
GET /rest/invoice?status_id=1&year=2024&sort=date&per_page=50&_format=json
''''''

## Less and more of a record

''fields=id,name'' shows these attributes and nothing else. ''expand=user'' shows a related record where there is only its id, and ''fields=name,user.lname&expand=user'' parts of it. The attributes that a schema here calls required are those that an answer has when ''fields'' is not given.

''''''http
GET /rest/deal?fields=name,client.name,status.name&expand=client,status
''''''

## Money

Amounts are decimal numbers in a text, always with four fraction digits: ''"86.4000"''. Do not read them as binary floating point. The price of a line is its count times its price, rounded to four digits, halves away from zero; the sum, the VAT and the amount to pay of an invoice follow from its lines. The service works them all out; what a write says of them is checked or ignored.

## Times

An instant reads ''2024-03-09 16:05:00'', in the time zone of the service. The ''date'' of an invoice, offer or contract is what stands on the paper: no zone shifts it.

## Errors

Every error is a problem document (RFC 9457), of type ''application/problem+json'' or, where the success would have been XML, ''application/problem+xml''. Decide by the status, show ''detail'' to people, and tell ''request_id'' to whoever runs the service; the header ''X-Request-Id'' has it with every answer. A 422 names every wrong field of the request at once, under ''errors''. A request that fails has stored nothing.

| Status | What to do |
|---|---|
| 400, 404, 405, 406, 413, 415, 422 | Mend the request. |
| 401, 403 | Get another token, or another role. |
| 409 | Change the state, or the other records, first. |
| 412 | Read the record again, then decide. |
| 429, 503 | Wait for ''Retry-After'' seconds, then repeat. |
| 500 | Tell whoever runs the service. |

An operator may limit how many requests a token makes in a second. Then every answer, errors included, has ''RateLimit-Limit'', ''RateLimit-Remaining'' and ''RateLimit-Reset'', and one request too many is a 429. An address that presents too many wrong tokens gets it too.

## Repeating a request

GET, PUT, PATCH and DELETE can be repeated without harm; what is deleted already is a 404. So can a POST that has an ''Idempotency-Key'': sent again under the same key within 24 hours, it is not carried out a second time but gets the first answer. Use a new random key for every record to be made, and repeat it after a time-out, a lost connection or a 503.

## When two write at once

Each answer with one record has an ''ETag''. Send it back as ''If-Match'' with a PUT, PATCH or DELETE: if somebody has changed the record since, the answer is 412 and nothing is done. Without ''If-Match'' the later writer's attributes stand.

## Formats

Answers are JSON or XML. ''_format=json'' or ''_format=xml'' in the query decides, else ''Accept'', else a default: XML for users, statuses and invoices and JSON for the rest, unless whoever runs the service has chosen otherwise. Better say what you want.

XML shows the same values, as text: true is ''1'', false and null are empty elements. The root is ''response''; a list repeats ''item''.

Bodies may be JSON, XML (an element for each attribute, the root has any name) or either kind of form, in which lines are ''items[0][name]=…''. A number may be sent as a text, a boolean as 1 or 0, and an empty text instead of null. What GET showed can be sent back as it is. Attributes that a write does not know are ignored.

## Following a request

Every answer has an ''X-Request-Id'', by which the log knows the request. It is the one of the request, if that has one of 1 to 64 visible ASCII characters, else a new one. A request with a header ''Server-Timing'', of any value, is told in the header of the same name what it took in all and in the database.

## Methods

Where GET is answered, HEAD is too. OPTIONS answers 204 with the methods of the path in ''Allow'', without a token. Any other method is a 405, also with ''Allow''. A slash at the end of a path changes nothing. No answer may be kept without asking again: all have ''Cache-Control: private, no-cache''.
`), "''", "`")

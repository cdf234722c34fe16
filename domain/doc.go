// Package domain is the root of Kontor's business: what a client, a contact, a
// deal and an invoice are, and which states they can be in.
//
// # The dependency rule
//
// A package below domain imports other packages below domain, the standard
// library without its input and output, and the decimal library. It knows no
// context, clock, JSON, SQL, HTTP or log. The time is an argument, and so is
// everything else that is decided outside.
//
// # The terms
//
// A user works in the company that runs Kontor. Users own clients and deals,
// and issue invoices. A client is somebody the company does business with: a
// company or a natural person. A contact is a person to talk to, linked to
// exactly one client or, while the deal has no client, to one deal. A deal is
// a business transaction with a status from the company's list. A
// document is an offer made in a deal, or a contract concluded in it. A
// performer is one of the company's own legal entities, in whose name an
// invoice is issued. An invoice belongs to a deal, has lines, and is not paid,
// paid, closed or cancelled.
//
// # The shape of an aggregate
//
// Every aggregate is one type with private state, one constructor (New) that
// rejects an impossible record, one Restore for the store, State for reading
// it out, and methods named by business verbs. A method validates first and
// assigns last: after an error nothing has changed. Attributes are what a writer
// may set; an attribute that is not sent stays unchanged.
package domain

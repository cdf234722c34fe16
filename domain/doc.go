// Package domain is the root of the domain model: clients, contacts, deals,
// invoices and their states. It has what they share: values that may be absent.
//
// # The dependency rule
//
// A package below domain imports only other packages below domain, the standard
// library without I/O, and the decimal library. It uses no context, clock, JSON,
// SQL, HTTP or log. The time, like everything else from outside, is an argument.
//
// # The terms
//
// A user works for the operator of Kontor, is responsible for clients and deals,
// and creates invoices. A client is the other party of a deal: a company or a
// natural person. A contact is a person to talk to, linked to exactly one client
// or, while a deal has no client, to that deal. A deal is a business transaction
// with a status from a reference list. A document is an offer or a contract of a
// deal. A performer is one of the operator's own companies, which issues
// invoices. An invoice belongs to a deal, has lines, and is not paid, paid,
// closed or cancelled. docs/contributing/glossary.md has the terms.
//
// # The shape of an aggregate
//
// Every aggregate is a type with private state, a constructor New that
// validates, a Restore for stores that does not, a State that returns a copy,
// and methods named by business verbs. A method validates before it assigns:
// after an error nothing has changed. Attributes are the writable attributes; an
// absent one stays unchanged.
package domain

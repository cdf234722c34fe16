// Package api is the contract as a specification that runs: each test sends
// requests to a whole service on a database of its own, and cites the clauses
// that it shows. Read it beside docs/contract.md. The files bear the names of
// the sections, and in each the tests come in the order of the clauses:
//
//	 1  names*
//	 2  formats*
//	 3  errors
//	 4  requests*
//	 5  access*
//	 6  reference*
//	 7  deal*
//	 8  contact
//	 9  client
//	10  invoice*
//
// Of section 11 and of the settings, much is shown where it lives, in
// adapters/localpg and cmd/kontor. Every JSON answer that any test gets is held
// against the OpenAPI document (names_document), and property* says of random
// data what the others say of chosen ones. The rest are tools: harness starts
// services and sends requests,
// records fills services, locks makes callers meet, gate stands before a
// database, program is kontor as it is built.
package api

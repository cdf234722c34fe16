// Package api tests the contract from outside: each test sends requests to a
// complete service on a database of its own and cites the clauses that it
// shows. Read it beside docs/contract.md. Files are named after the sections
// of the contract; within a file the tests follow the order of the clauses:
//
//	 1  service*, openapi*
//	 2  formats*
//	 3  errors
//	 4  requests*
//	 5  access*
//	 6  reference*
//	 7  deal*, document
//	 8  contact
//	 9  client
//	10  invoice*
//
// Most of section 11 and of the settings is tested beside the code, in
// adapters/localpg and cmd/kontor. Every JSON response that any test receives
// is validated against the OpenAPI document (openapi); property* show for
// random data what the other files show for chosen data. The remaining files
// are tools: harness starts services and sends requests, records creates
// records, locks synchronizes callers, gate is a proxy before the database,
// program runs the kontor binary.
package api

// Package api tests the API contract, docs/contributing/contract.md: each test sends requests to a
// complete service on a database of its own and cites the clauses that it shows. Files
// are named after the sections of the contract; within a file the tests follow the
// order of the clauses:
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
// adapters/localpg and cmd/program. A value that a table beside the code covers is not
// repeated here: openapi* shows that each field of each resource is read, and that its
// errors reach the response.
//
// Every JSON response that any test receives is validated against the OpenAPI document
// (openapi). property* send random requests. The remaining files are tools: harness
// starts services and sends requests, records creates records, locks synchronizes
// requests, access_leaks_service and access_leaks_tokens are what access_leaks needs,
// commit_proxy is a proxy for the database, program runs the kontor binary.
//
// Those with the build tag full need further tools: browser* Chromium, generated_client the generator of clients, nginx
// nginx; replay may take hours.
package api

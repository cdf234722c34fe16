// Package clients tests clients generated from the OpenAPI document for code generators:
// one in Go by oapi-codegen, in golang, and one in TypeScript by openapi-typescript and
// openapi-fetch, in typescript. In prism, a proxy validates requests and responses against
// both OpenAPI documents.
//
// The first two folders are projects with one scenario, which is also an example. The tests
// copy the project and run the commands in the header of the scenario. They have the build
// tag full, because they need a generator, Node and its registry.
//
// # Decisions
//
// Chose to generate from the document of a running service over a file, because users do
// so with the same commands.
//
// Chose a separate module for the scenario in Go, because the product must not depend on
// the imports of generated code; costs that the linter skips it, but the test vets it.
package clients

// Package clients tests a client that oapi-codegen generates from the OpenAPI document for
// code generators.
//
// The folder golang is a project with one scenario, which is also an example. The test copies
// the project and runs the commands in the header of the scenario. It has the build tag full,
// because it needs the generator.
//
// Chose to generate from the document of a running service over a file, because users do
// so with the same commands.
//
// Chose a separate module for the scenario, because the product must not depend on
// the imports of generated code; costs that the linter skips it, but the test vets it.
package clients

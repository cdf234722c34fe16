// Package clients shows that clients generated from the reference document compile
// and work: one in Go by oapi-codegen, in golang, and one in TypeScript by
// openapi-typescript and openapi-fetch, in typescript.
//
// Each folder is a project of its own with one scenario, which is an example for
// people too. The tests do in a copy of it what its first lines tell a reader to
// do. As they need a generator, Node and its registry, they have the build tag full.
//
// # Decisions
//
// Chose to generate from the document that a running service shows over one that is
// written to a file, because that is what readers do, with the same commands.
//
// Chose a module of its own for the scenario in Go, because the product does not
// depend on what generated code needs. It costs that the linter does not see it; the
// test vets it.
package clients

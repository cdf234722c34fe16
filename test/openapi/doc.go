// Package openapi holds the reference document against the last release and
// against a public linter.
//
// baseline.json is the document of the last release. What its readers rely on may
// be added to, not taken away: oasdiff compares, and severities.txt raises what it
// takes for information and a generated client does not.
//
// redocly.yaml says what the linter looks at, and why not at the rest. As it needs
// Node and the network, its test has the build tag full.
package openapi

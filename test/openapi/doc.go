// Package openapi compares the OpenAPI document with the last release and checks it
// with a public linter.
//
// baseline.json and baseline-codegen.json are the documents of the last release. oasdiff
// finds breaking changes;
// severities.txt raises the severity of changes that break generated clients.
//
// redocly.yaml configures the linter, with a reason for each disabled rule. Its test has
// the build tag full, because it needs Node and the network.
package openapi

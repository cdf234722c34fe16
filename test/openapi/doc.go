// Package openapi compares the OpenAPI documents in docs with those of the last release.
//
// baseline.json and baseline-codegen.json are the documents of the last release. oasdiff
// finds breaking changes;
// severities.txt raises the severity of changes that break generated clients.
package openapi

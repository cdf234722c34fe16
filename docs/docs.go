// Package docs embeds the OpenAPI document of the service, as make docs has generated it, for tests.
package docs

import _ "embed"

// OpenAPI is the document in JSON.
//
//go:embed openapi.json
var OpenAPI []byte

// OpenAPICodegen is the document for code generators, in JSON.
//
//go:embed openapi-codegen.json
var OpenAPICodegen []byte

// Package kontor is what oapi-codegen generates of the reference document.
package kontor

//go:generate oapi-codegen -config oapi-codegen.yaml $KONTOR_URL/openapi.json

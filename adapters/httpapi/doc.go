// Package httpapi serves Kontor over HTTP.
//
// All routes share one pipeline: authentication, format negotiation, body and query, the
// handler, rendering. A handler returns a response or an error; it does not write to the
// connection and is independent of the format. Each resource has a file, which begins
// with its routes.
//
// The routes also describe the operations of the OpenAPI document (package openapi): the
// attributes come from the resource's table, the filters from the function that parses
// them, and so do the fields of a body, with their descriptions.
//
// Only this package imports gin.
package httpapi

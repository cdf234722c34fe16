// Package httpapi serves Kontor over HTTP.
//
// A request goes through one pipeline, the same for every route: who is asking,
// which format the answer has, what the body and the query say, the handler,
// the rendering. A handler is a typed function that returns an answer or an
// error; it neither writes to the connection nor knows JSON from XML. Each
// resource has a file, which opens with its routes.
//
// The table of routes also gives the OpenAPI document its operations, in the
// files openapi*: what a record shows is read from the resource's table, what
// its list filters by from the function that reads the filters, and what a
// write may carry stands in the resource's file.
//
// Gin routes, and is known to this package alone.
package httpapi

// Package httpapi serves Kontor over HTTP.
//
// A request goes through one pipeline, the same for every route: who is asking,
// which format the answer has, what the body and the query say, the handler,
// the rendering. A handler is a typed function that returns an answer or an
// error; it neither writes to the connection nor knows JSON from XML. Each
// resource has a file, which opens with its routes.
//
// Gin routes, and is known to this package alone.
package httpapi

// Package telemetry counts what the service does, for Prometheus, and traces it,
// by OpenTelemetry. It is the only package that knows either.
//
// Nothing is counted unless there is a listener to show it at, and nothing is
// traced unless the OTEL_ variables name a collector: then the service does not
// call this package at all.
//
// Chose the two standard libraries over one for both, because with Prometheus's
// own a request is a few additions to counters that are looked up once, and
// OpenTelemetry's meters are handed the labels anew each time; costs a second
// library that knows what a route is called.
//
// Chose OTLP over HTTP as the one way out, because every collector takes it;
// costs those who have a collector that listens for gRPC only.
package telemetry

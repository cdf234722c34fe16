// Package telemetry provides metrics for Prometheus and traces for OpenTelemetry.
// It is the only package that imports either library.
//
// Without an admin listener there are no metrics, and without a collector in
// the OTEL_ variables there are no traces: then the service never calls this
// package.
//
// Chose: the two standard libraries over one for both. Because: with Prometheus's own library a
// request is a few additions to counters that are looked up once, while OpenTelemetry's meters take
// the labels with every call. Costs: a second library that knows the names of routes.
//
// Chose: OTLP over HTTP as the only protocol. Because: every collector accepts it. Costs: operators
// whose collector listens for gRPC only.
package telemetry

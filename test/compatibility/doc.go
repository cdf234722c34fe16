// Package compatibility compares what programs build on with the last release: the exported names of the stable Go
// packages, the REST API, settings, metrics, and what expressions of rules may use.
//
// The folder baseline has the state of the last release. A name that is gone or means something else is a break, and has
// to be named in the section Unreleased of CHANGELOG.md; what is new is none. With a release, and only then, the test with
// -release makes the present state the baseline.
//
// oasdiff, in make ci-full, finds further breaks of the REST API, such as a narrower range; severities.txt raises the
// severity of changes that break generated clients.
package compatibility

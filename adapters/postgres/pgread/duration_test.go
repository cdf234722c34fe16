//go:build !full

package pgread_test

// duration is how long writers write at least: until enough is written. Those of make ci-full write longer.
const duration = 0

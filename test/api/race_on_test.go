//go:build race

package api_test

// raceBytes is what the race detector allocates besides.
const raceBytes = 50_000_000

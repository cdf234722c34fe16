//go:build !race

package api_test

const raceBytes = 0

//go:build full

package api_test

// alternations is how often a test changes a rule while others write.
const alternations = 1000

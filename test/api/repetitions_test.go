//go:build !full

package api_test

const (
	// alternations is how often a test changes a rule while others write.
	alternations = 80
	// draws is how often a test named TestProperty… draws its requests.
	draws = "15"
)

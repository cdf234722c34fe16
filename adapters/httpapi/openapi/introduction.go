package openapi

import (
	_ "embed"
	"strings"
)

//go:embed introduction.md
var introductionText string

// introduction is for readers who do not know the service yet. A test sends its requests.
var introduction = strings.TrimSpace(introductionText)

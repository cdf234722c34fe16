package doctest

import (
	"fmt"
	"regexp"
	"strings"
)

// anything stands for any text.
const anything = "…"

// holds returns an error if the output differs from the page.
func (b Block) holds(printed string) error {
	got := tidy(b.Format, printed)
	if b.Format == "text" {
		got += "\n" // ends the last line
	}
	if b.Format == "" || b.pattern().MatchString(got) {
		return nil
	}
	return fmt.Errorf("prints\n%s\nbut the page shows\n%s", strings.TrimRight(printed, "\n"), b.Output)
}

// pattern matches the normalized output of the page.
func (b Block) pattern() *regexp.Regexp {
	said := tidy(b.Format, b.Output)
	if b.Format != "text" {
		return regexp.MustCompile(`(?s)\A` + wild(said, `.*`) + `\z`)
	}
	var pattern strings.Builder
	for line := range strings.SplitSeq(said, "\n") {
		if line == anything {
			pattern.WriteString(`(?:.*\n)*`)
			continue
		}
		pattern.WriteString(wild(line, `.*`) + `\n`)
	}
	return regexp.MustCompile(`\A` + pattern.String() + `\z`)
}

// wild returns the text as a pattern, with the given one for the wildcard.
func wild(text, as string) string {
	parts := strings.Split(text, anything)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return strings.Join(parts, as)
}

var (
	lineEnds    = regexp.MustCompile(`[ \t\r]+\n`)
	betweenTags = regexp.MustCompile(`>\s+<`)
	jsonParts   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\s+`)
)

// tidy removes white space at the ends of lines and of the text, and insignificant
// white space of the format.
func tidy(format, text string) string {
	switch format {
	case "json":
		return jsonParts.ReplaceAllStringFunc(text, func(part string) string {
			if part[0] == '"' {
				return part
			}
			return ""
		})
	case "xml":
		return betweenTags.ReplaceAllString(strings.TrimSpace(text), "><")
	}
	return strings.TrimRight(lineEnds.ReplaceAllString(text+"\n", "\n"), "\n")
}

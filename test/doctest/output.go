package doctest

import (
	"fmt"
	"regexp"
	"strings"
)

// anything is what stands for whatever is printed.
const anything = "…"

// holds is an error if what was printed is not what the page says.
func (b Block) holds(printed string) error {
	got := tidy(b.Format, printed)
	if b.Format == "text" {
		got += "\n" // so that each line has an end
	}
	if b.Format == "" || b.pattern().MatchString(got) {
		return nil
	}
	return fmt.Errorf("prints\n%s\nand the page says\n%s", strings.TrimRight(printed, "\n"), b.Output)
}

// pattern matches what the page says, made tidy.
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

// wild is a text as a pattern, with the given one where the text may be anything.
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

// tidy takes away what is not looked at: white space at the ends of lines and of
// the text, and where it means nothing in the format.
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

package httpapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// DocumentYAML is Document in YAML: the same, in the same order.
//
// Chose a few lines of our own over a library. Because: the one at hand took a
// fifth of a second and sixty megabytes for it. Costs: nothing keeps what is
// written within YAML but the tests, which read it with two libraries.
func DocumentYAML() []byte { return documentYAML() }

var documentYAML = sync.OnceValue(func() []byte { return appendYAML(nil, decoded(Document()), 0) })

// decoded is the JSON text as objects whose members keep their order.
func decoded(text []byte) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return decodedNext(d)
}

func decodedNext(d *json.Decoder) any {
	token := nextToken(d)
	switch token {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name := nextToken(d).(string)
			o = append(o, member{name, decodedNext(d)})
		}
		nextToken(d)
		return o
	case json.Delim('['):
		list := []any{}
		for d.More() {
			list = append(list, decodedNext(d))
		}
		nextToken(d)
		return list
	}
	return token
}

func nextToken(d *json.Decoder) json.Token {
	token, err := d.Token()
	if err != nil {
		panic(err) // Document has written it
	}
	return token
}

// appendYAML appends an object or a list on lines of its own, so many columns
// from the left, and anything else where the line is.
func appendYAML(to []byte, value any, indent int) []byte {
	switch v := value.(type) {
	case object:
		for _, m := range v {
			to = append(appendColumns(to, indent), scalarYAML(m.name)...)
			to = appendValueYAML(append(to, ':'), m.value, indent+2)
		}
	case []any:
		for _, item := range v {
			start := len(to) + indent
			if isBlock(item) {
				to = appendYAML(to, item, indent+2)
			} else {
				to = appendValueYAML(appendColumns(to, indent+1), item, indent+2)
			}
			to[start] = '-'
		}
	}
	return to
}

// appendValueYAML appends what stands behind a name or a dash.
func appendValueYAML(to []byte, value any, indent int) []byte {
	if isBlock(value) {
		return appendYAML(append(to, '\n'), value, indent)
	}
	to = append(to, ' ')
	text, ok := value.(string)
	switch {
	case !ok:
		to = appendScalar(to, value)
	case isLiteral(text):
		to = append(to, '|', '-')
		for line := range strings.SplitSeq(text, "\n") {
			to = append(to, '\n')
			if line != "" {
				to = append(appendColumns(to, indent), line...)
			}
		}
	default:
		to = append(to, scalarYAML(text)...)
	}
	return append(to, '\n')
}

func appendColumns(to []byte, count int) []byte { return append(to, strings.Repeat(" ", count)...) }

// isBlock tells whether the value takes lines of its own.
func isBlock(value any) bool {
	switch v := value.(type) {
	case object:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// isLiteral tells whether the text can stand on lines just as it is.
func isLiteral(text string) bool {
	return strings.Contains(text, "\n") && strings.TrimSpace(text) == text && !strings.ContainsAny(text, "\t\r")
}

// words that would be something else than texts, if not in quotes.
var wordsOfYAML = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

// scalarYAML is a text on one line: as it is, if it can be nothing else, and else
// as JSON has it, which YAML takes too.
func scalarYAML(text string) string {
	const between = " _/.,()+-'=&;{}`$<>*|@"
	isPlain := text != "" && strings.TrimSpace(text) == text && !slices.Contains(wordsOfYAML, strings.ToLower(text))
	for i, c := range text {
		isInside := unicode.IsDigit(c) || strings.ContainsRune(between, c)
		isPlain = isPlain && (unicode.IsLetter(c) || i > 0 && isInside || i == 0 && (c == '/' || c == '$'))
	}
	if isPlain {
		return text
	}
	return string(appendScalar(nil, text))
}

// appendScalar appends the value as JSON has it.
func appendScalar(to []byte, value any) []byte {
	to, err := appendJSON(to, value)
	if err != nil {
		panic(err) // Document has written it
	}
	return to
}

package api_test

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// at is the value under a path of an attribute and perhaps a part of it.
func (r stored) at(path string) any {
	name, part, nested := strings.Cut(path, ".")
	value, ok := r.shown[name]
	if !ok {
		value = r.hidden[name]
	}
	if !nested {
		return value
	}
	inner, _ := value.(map[string]any)
	return inner[part]
}

// byValue is a filter for a value that the records have under the path; one that
// none has is drawn too.
func byValue(name, path string, missing any, records []stored) filter {
	values := []string{text(missing)}
	for _, r := range records {
		if v := r.at(path); v != nil {
			values = append(values, text(v))
		}
	}
	return func(t *rapid.T) (map[string]string, func(stored) bool) {
		value := rapid.SampledFrom(values).Draw(t, name)
		return map[string]string{name: value}, func(r stored) bool {
			return r.at(path) != nil && text(r.at(path)) == value
		}
	}
}

// byPart is a filter for a piece of the text under the path.
func byPart(name, path string, records []stored) filter {
	return func(t *rapid.T) (map[string]string, func(stored) bool) {
		value := piece(t, name, path, records)
		return map[string]string{name: value}, func(r stored) bool {
			s, ok := r.at(path).(string)
			return ok && strings.Contains(folded(s), folded(value)) || value == ""
		}
	}
}

// byWhole is a filter for the whole text under the path, in any case.
func byWhole(name, path string, records []stored) filter {
	var values []string
	for _, r := range records {
		if s, ok := r.at(path).(string); ok {
			values = append(values, s)
		}
	}
	return func(t *rapid.T) (map[string]string, func(stored) bool) {
		value := rapid.SampledFrom(values).Draw(t, name)
		part := string([]rune(value)[1:])
		value = rapid.SampledFrom([]string{value, strings.ToUpper(value), strings.ToLower(value), part, part, ""}).Draw(t, name+" sent")
		return map[string]string{name: value}, func(r stored) bool {
			s, ok := r.at(path).(string)
			return ok && folded(s) == folded(value) || value == ""
		}
	}
}

// piece draws a piece of a text that a record has, in another case or another
// Unicode form, or something that few or none have.
func piece(t *rapid.T, name, path string, records []stored) string {
	if odd := rapid.SampledFrom([]string{"", "%", "_", `\`, "ss", "E\u0301", "zzz", " ", "", "", "", ""}).Draw(t, name+" odd"); odd != "" {
		return odd
	}
	whole, _ := rapid.SampledFrom(records).Draw(t, name+" of").at(path).(string)
	runes := []rune(whole)
	from := rapid.IntRange(0, len(runes)).Draw(t, name+" from")
	to := rapid.IntRange(from, len(runes)).Draw(t, name+" to")
	cut := string(runes[from:to])
	change := rapid.SampledFrom([]func(string) string{
		strings.Clone, strings.ToUpper, strings.ToLower, decomposed,
	}).Draw(t, name+" form")
	if changed := change(cut); utf8.RuneCountInString(changed) <= 255 {
		return changed
	}
	return cut
}

// byDate is a filter for a part of the date under the path, the part that stands
// between those places.
func byDate(name, path string, from, to int, values ...string) filter {
	return func(t *rapid.T) (map[string]string, func(stored) bool) {
		value := rapid.SampledFrom(values).Draw(t, name)
		return map[string]string{name: value}, func(r stored) bool {
			date, ok := r.at(path).(string)
			return ok && date[from:to] == fmt.Sprintf("%0*s", to-from, value)
		}
	}
}

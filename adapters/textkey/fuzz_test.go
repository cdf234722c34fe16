package textkey_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

var names = []string{"", "ACME", "Straße", "E\u0301clair", "ΣΊΣΥΦΟΣ", "\u1E9E", "\u0345\u0399", "\u1F80", "ﬃ", "İstanbul", "\u0130\u0307", "ŐRSÉG", "50%_\\X", "\uAC00\u11A8", "\u0149", "a\u0327\u0301", "\u13F8\uAB70", "\xff"}

// contract 4.46
func FuzzKeyIsTheSameForAllFormsOfAText(f *testing.F) {
	fuzzseed.Texts(f, names...)
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // no text of Kontor's
		}
		key := textkey.Of(text)
		if again := textkey.Of(key); again != key {
			t.Errorf("the key of %q is %q, whose own key is %q", text, key, again)
		}
		if apart := textkey.Of(norm.NFD.String(text)); apart != key {
			t.Errorf("the key of %q is %q, and %q when its accents are written apart", text, key, apart)
		}
		if !norm.NFC.IsNormalString(key) || !utf8.ValidString(key) {
			t.Errorf("the key of %q is %q, which is not in NFC", text, key)
		}
	})
}

// contract 4.45
func FuzzPatternFindsItsTextAndNothingElse(f *testing.F) {
	var cases [][]any
	for i, name := range names {
		cases = append(cases, []any{name, "x" + name + "y"}, []any{name, names[len(names)-1-i]})
	}
	fuzzseed.Add(f, append(cases, []any{"%", "a"}, []any{"_", "a"}, []any{`\`, `\\`}, []any{`\%`, "%"})...)
	f.Fuzz(func(t *testing.T, sought, in string) {
		key := textkey.Search(in)
		if want := strings.Contains(key, textkey.Search(sought)); like(textkey.Containing(sought), key) != want {
			t.Errorf("%q is found in %q: %v", sought, in, !want)
		}
	})
}

// like is LIKE for a pattern without wildcards but at its ends, as the database
// reads it: an escape is the character behind it.
func like(pattern, key string) bool {
	inner := []byte(strings.TrimPrefix(pattern, "%"))
	var sought []byte
	for i := 0; i < len(inner); i++ {
		switch {
		case inner[i] == '\\':
			i++
		case inner[i] == '%' && i == len(inner)-1:
			return strings.Contains(key, string(sought))
		case inner[i] == '%' || inner[i] == '_':
			return true // finds what it should not
		}
		if i < len(inner) {
			sought = append(sought, inner[i])
		}
	}
	return false
}

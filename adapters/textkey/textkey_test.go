package textkey_test

import (
	"testing"

	"github.com/kontor-crm/kontor/adapters/textkey"
)

// contract 4.46
func TestKeyIsSharedByTextsThatReadAlike(t *testing.T) {
	for _, pair := range [][2]string{
		{"ACME", "acme"},
		{"Straße", "STRASSE"},
		{"E\u0301clair", "\u00e9clair"}, // combining accent, precomposed
		{"ΣΊΣΥΦΟΣ", "σίσυφοσ"},
		{"ŐRSÉG", "őrség"},
		{"\u1E9E", "ss"},                 // capital sharp s
		{"\u13A0\u13F0", "\uAB70\u13F8"}, // Cherokee
	} {
		if a, b := textkey.Of(pair[0]), textkey.Of(pair[1]); a != b {
			t.Errorf("%q has the key %q, %q has %q", pair[0], a, pair[1], b)
		}
	}
}

func TestKeyOfAKeyIsItself(t *testing.T) {
	for _, s := range []string{"Straße", "E\u0301", "\u0345\u0399", "\u1F80", "ﬃ", "İstanbul"} {
		if k := textkey.Of(s); textkey.Of(k) != k {
			t.Errorf("the key of %q is %q, whose own key is %q", s, k, textkey.Of(k))
		}
	}
}

// contract 4.45
func TestSearchKeyIgnoresDiacritics(t *testing.T) {
	for text, want := range map[string]string{
		"İnşaat Müller": "insaat muller",
		"Łódź":          "łodz",
		"Ελλάδα":        "ελλαδα",
		"ὕδωρ":          "υδωρ",
		"Ёлка":          "елка",
		"Йод, Ўзбек":    "йод, ўзбек", // other letters of Cyrillic stay
		"が":             "が",
		"5\u0301":       "5\u0301",
		"Việt Nam":      "viet nam",
	} {
		if got := textkey.Search(text); got != want {
			t.Errorf("the search key of %q is %q, want %q", text, got, want)
		}
	}
}

// contract 4.45
func TestPatternTreatsWildcardsAsOrdinaryCharacters(t *testing.T) {
	if got, want := textkey.Containing(`50%_\X`), `%50\%\_\\x%`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

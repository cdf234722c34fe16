package apidoc

import "strings"

// Plural returns the plural of a noun.
func Plural(word string) string {
	if noun, rest, ok := strings.Cut(word, " in "); ok {
		return Plural(noun) + " in " + rest
	}
	switch {
	case strings.HasSuffix(word, "y"):
		return strings.TrimSuffix(word, "y") + "ies"
	case strings.HasSuffix(word, "s"):
		return word + "es"
	}
	return word + "s"
}

// Capital returns the word with a capital letter.
func Capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// Package textkey computes the keys by which texts are sorted and searched, so that
// the results do not depend on the locale of a database.
package textkey

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Of returns the key of a text for comparison, sorting and search, ignoring case:
// Unicode normal form C, full case folding, and normal form C again, because folding
// may denormalize. Keys are compared by code point.
func Of(s string) string {
	if isPlain(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(strings.Map(foldCherokee, cases.Fold().String(norm.NFC.String(s))))
}

// foldCherokee makes small letters of Cherokee capital, which is how Unicode folds
// that script. The library makes small ones capital too, but capital ones small.
func foldCherokee(r rune) rune {
	switch {
	case r >= 0xAB70 && r <= 0xABBF:
		return r - 0xAB70 + 0x13A0
	case r >= 0x13F8 && r <= 0x13FD:
		return r - 0x13F8 + 0x13F0
	}
	return r
}

// isPlain reports whether the text is all ASCII, where folding is lower case.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

var wildcards = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Containing returns the LIKE pattern for all keys that contain the key of s. The
// wildcards of LIKE in s match only themselves.
func Containing(s string) string {
	return "%" + wildcards.Replace(Of(s)) + "%"
}

// Package textkey computes the form of a text by which Kontor sorts and
// searches, so that all stores sort and fold alike, independently of the locale of a
// database.
package textkey

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Of is the key of a text: Unicode form NFC, fully case folded, NFC again,
// since folding can take a text out of that form. Keys are compared by code
// point.
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

// Containing is the LIKE pattern that matches every key holding the key of s;
// the wildcards of LIKE are ordinary characters of s.
func Containing(s string) string {
	return "%" + wildcards.Replace(Of(s)) + "%"
}

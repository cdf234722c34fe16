// Package textkey computes the form of a text by which Kontor sorts and
// searches, so that every store orders and folds alike, whatever a database's
// locale says.
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
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

// isPlain tells whether the text is all ASCII, where folding is lower case.
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

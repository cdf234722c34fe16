// Package textkey computes the keys by which texts are sorted and searched, so that
// the results do not depend on the locale of a database.
package textkey

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Of returns the key of a text for comparison and sorting, ignoring case:
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

// Search returns the key of a text for searching parts of it: that of Of, without the combining marks
// U+0300 to U+036F of Latin and Greek letters, and with е in place of ё. listdef.SearchKey is the same in SQL.
func Search(s string) string {
	key := Of(s)
	if isPlain(key) {
		return key
	}
	var b strings.Builder
	var base rune // what a mark belongs to
	for _, r := range norm.NFD.String(key) {
		if r >= 0x300 && r <= 0x36F && isLatinOrGreek(base) {
			continue
		}
		isYo := base == 'е' && r == 0x308
		base = r
		if !isYo {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// isLatinOrGreek reports whether a folded, decomposed letter is one of these scripts.
func isLatinOrGreek(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 0xDF && r <= 0x2AF || r >= 0x370 && r <= 0x3FF || r >= 0x1E00 && r <= 0x1FFF
}

var wildcards = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Containing returns the LIKE pattern for all search keys that contain that of s. The
// wildcards of LIKE in s match only themselves.
func Containing(s string) string {
	return "%" + wildcards.Replace(Search(s)) + "%"
}

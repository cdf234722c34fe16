// Package text validates and trims the texts of records. Lengths are in code points.
package text

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
)

// The maximum lengths that many attributes share.
const (
	Short  = 255    // names, titles, job positions
	Phone  = 64     // telephone numbers
	Number = 64     // numbers of invoices, offers and contracts
	Mail   = 254    // email addresses
	Ref    = 128    // the callers' own keys of records
	Long   = 65_535 // addresses, details, notes
)

// Illegal returns why a string cannot be stored, or "" if it can: it is not valid UTF-8, or
// contains a character that XML 1.0 cannot represent, such as NUL.
func Illegal(s string) string {
	if !utf8.ValidString(s) {
		return "must be valid UTF-8"
	}
	if strings.ContainsFunc(s, isIllegal) {
		return "must not hold control characters"
	}
	return ""
}

func isIllegal(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

// Truncate returns s, truncated to limit characters if it is longer; the last one is then
// an ellipsis. What Illegal rejects is replaced by U+FFFD.
func Truncate(s string, limit int) string {
	if Illegal(s) != "" {
		s = strings.Map(func(r rune) rune {
			if isIllegal(r) {
				return utf8.RuneError
			}
			return r
		}, s)
	}
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

// Optional returns the new value of an optional attribute: old if sent is absent, else sent
// without leading and trailing white space. A text that is illegal or longer than limit is
// reported to c under the name.
func Optional(c *fault.Collector, name string, sent domain.Optional[string], old string, limit int) string {
	raw, ok := sent.Get()
	if !ok {
		return old
	}
	if why := Illegal(raw); why != "" {
		c.Add(name, "%s", why)
		return old
	}
	s := strings.TrimSpace(raw)
	if utf8.RuneCountInString(s) > limit {
		c.Coded(fault.TooLong, name, "must have at most %d characters", limit)
		return old
	}
	return s
}

// isInvisible reports whether a reader sees nothing of the character: white space, or a character
// that only formats or fills.
func isInvisible(r rune) bool {
	const brailleBlank = 0x2800
	return unicode.IsSpace(r) || r == brailleBlank ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Required is like Optional, but reports a text without a visible character.
func Required(c *fault.Collector, name string, sent domain.Optional[string], old string, limit int) string {
	if !sent.IsSet() && old == "" {
		c.Coded(fault.Required, name, "is required")
		return old
	}
	if raw, ok := sent.Get(); ok && strings.TrimFunc(raw, isInvisible) == "" {
		c.Coded(fault.Required, name, "must not be empty")
		return old
	}
	return Optional(c, name, sent, old, limit)
}

// Email is like Optional for a single email address without a display name. Letters beyond
// ASCII are allowed on both sides of the at sign.
func Email(c *fault.Collector, name string, sent domain.Optional[string], old string) string {
	s := Optional(c, name, sent, old, Mail)
	if s == "" || s == old {
		return s
	}
	if strings.ContainsFunc(s, isInvisible) && !strings.ContainsFunc(s, unicode.IsSpace) {
		c.Add(name, "must not hold invisible characters")
		return old
	}
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s {
		c.Add(name, "must be a single email address, such as ann@example.org")
		return old
	}
	return s
}

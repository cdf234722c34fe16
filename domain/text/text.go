// Package text holds the rules for text that people type: what is trimmed,
// what is rejected, how long it may be. Lengths are counted in code points.
package text

import (
	"net/mail"
	"strings"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
)

// The lengths that many attributes share.
const (
	Short = 255    // names, titles, job positions
	Phone = 64     // telephone numbers, and those of invoices, offers and contracts
	Mail  = 254    // mail addresses
	Long  = 65_535 // addresses, details, notes
)

// Illegal says why a string can be no text of Kontor's ("" if it can): it is
// invalid UTF-8, or holds a character that XML 1.0 cannot represent, NUL included.
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

// Shortened is a text that can be stored: of a longer one, as many characters as the limit,
// the last of which is an ellipsis. What Illegal rejects is replaced by U+FFFD.
func Shortened(s string, limit int) string {
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

// Optional is the new value of an optional attribute: the old one when the
// writer sent none, else what was sent without its outer white space.
func Optional(c *fault.Collector, name string, sent optional.Of[string], old string, limit int) string {
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
		c.Add(name, "must have at most %d characters", limit)
		return old
	}
	return s
}

// Required is Optional for an attribute that may not be empty.
func Required(c *fault.Collector, name string, sent optional.Of[string], old string, limit int) string {
	if !sent.IsSet() && old == "" {
		c.Add(name, "is required")
		return old
	}
	if raw, ok := sent.Get(); ok && strings.TrimSpace(raw) == "" {
		c.Add(name, "must not be empty")
		return old
	}
	return Optional(c, name, sent, old, limit)
}

// Email is Optional for one mail address without a display name. Letters
// beyond ASCII are allowed on both sides of the at sign.
func Email(c *fault.Collector, name string, sent optional.Of[string], old string) string {
	s := Optional(c, name, sent, old, Mail)
	if s == "" || s == old {
		return s
	}
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s {
		c.Add(name, "must be one mail address")
		return old
	}
	return s
}

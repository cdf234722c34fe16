// Package series contains the number series of performers: the numbers of issued invoices and
// credit notes, which have no gaps.
package series

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Pattern is the form of the numbers of a series, such as {year}-{seq:4}. The zero value is none.
type Pattern struct {
	text string
}

// MaxPattern is the maximum length of a pattern, in characters.
const MaxPattern = 40

// The errors of ParsePattern.
var (
	ErrNoSequence = errors.New("must have {seq} once, or {seq:N} with at least N digits, N from 1 to 9")
	ErrUnknown    = errors.New("must have no braces but {year}, {seq} and {seq:N}")
	ErrTooLong    = fmt.Errorf("must have at most %d characters", MaxPattern)
)

var (
	sequence = regexp.MustCompile(`\{seq(?::([1-9]))?\}`)
	year     = "{year}"
)

// ParsePattern parses a pattern, which must have {seq} or {seq:N}.
func ParsePattern(s string) (Pattern, error) {
	switch rest := sequence.ReplaceAllString(strings.ReplaceAll(s, year, ""), ""); {
	case len(sequence.FindAllString(s, -1)) != 1:
		return Pattern{}, ErrNoSequence
	case strings.ContainsAny(rest, "{}"):
		return Pattern{}, ErrUnknown
	case len([]rune(s)) > MaxPattern:
		return Pattern{}, ErrTooLong
	}
	return Pattern{s}, nil
}

// IsZero reports whether there is no pattern.
func (p Pattern) IsZero() bool { return p.text == "" }

// String returns the pattern as it was parsed.
func (p Pattern) String() string { return p.text }

// Year returns the year of the series that a document of that year belongs to: 0 if the numbers do not begin
// anew with each year.
func (p Pattern) Year(year int) int {
	if !p.IsYearly() {
		return 0
	}
	return year
}

// IsYearly reports whether the numbers begin anew with each year.
func (p Pattern) IsYearly() bool { return strings.Contains(p.text, year) }

// Number returns the number with the sequence seq, from 1, in the year.
func (p Pattern) Number(inYear int, seq int64) string {
	digits := strconv.FormatInt(seq, 10)
	if width := sequence.FindStringSubmatch(p.text)[1]; width != "" {
		digits = strings.Repeat("0", max(0, int(width[0]-'0')-len(digits))) + digits
	}
	return strings.ReplaceAll(sequence.ReplaceAllString(p.text, digits), year, fmt.Sprintf("%04d", inYear))
}

// Collides reports whether two patterns may make the same number: whether they are equal, upper and lower case aside, when each
// run of digits and placeholders is taken as one digit.
func (p Pattern) Collides(q Pattern) bool {
	bare := func(p Pattern) string { return digits.ReplaceAllString(strings.ToLower(p.text), "0") }
	return !p.IsZero() && !q.IsZero() && bare(p) == bare(q)
}

var digits = regexp.MustCompile(`(?:[0-9]|\{year\}|\{seq(?::[1-9])?\})+`)

// Expression returns a regular expression for the numbers of the pattern.
func (p Pattern) Expression() string {
	quoted := regexp.QuoteMeta(p.text)
	quoted = quotedSequence.ReplaceAllString(quoted, "[0-9]+")
	return "^" + strings.ReplaceAll(quoted, regexp.QuoteMeta(year), "[0-9]{4}") + "$"
}

var quotedSequence = regexp.MustCompile(`\\\{seq(?::[1-9])?\\\}`)

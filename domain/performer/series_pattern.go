package performer

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// SeriesPattern is the form of the numbers of a series, such as {year}-{seq:4}. The zero value is none.
type SeriesPattern struct {
	text string
}

// MaxSeriesPattern is the maximum length of a pattern, in characters.
const MaxSeriesPattern = 40

// The errors of ParseSeriesPattern.
var (
	ErrNoSequence         = errors.New("must have {seq} once, or {seq:N} with at least N digits, N from 1 to 9")
	ErrUnknownPlaceholder = errors.New("must not have braces other than {year}, {seq} and {seq:N}")
	ErrPatternTooLong     = fmt.Errorf("must have at most %d characters", MaxSeriesPattern)
)

var (
	sequencePlaceholder = regexp.MustCompile(`\{seq(?::([1-9]))?\}`)
	yearPlaceholder     = "{year}"
)

// ParseSeriesPattern parses a pattern, which must have {seq} or {seq:N}.
func ParseSeriesPattern(s string) (SeriesPattern, error) {
	switch rest := sequencePlaceholder.ReplaceAllString(strings.ReplaceAll(s, yearPlaceholder, ""), ""); {
	case len(sequencePlaceholder.FindAllString(s, -1)) != 1:
		return SeriesPattern{}, ErrNoSequence
	case strings.ContainsAny(rest, "{}"):
		return SeriesPattern{}, ErrUnknownPlaceholder
	case len([]rune(s)) > MaxSeriesPattern:
		return SeriesPattern{}, ErrPatternTooLong
	}
	return SeriesPattern{s}, nil
}

// DraftPattern is the form of the numbers of drafts, whose sequence is their id. No series has it.
var DraftPattern = SeriesPattern{"draft-{seq}"}

// IsZero reports whether there is no pattern.
func (p SeriesPattern) IsZero() bool { return p.text == "" }

// String returns the pattern as it was parsed.
func (p SeriesPattern) String() string { return p.text }

// Year returns the year of the series that a document of that year belongs to: 0 if the numbers do not begin
// anew with each year.
func (p SeriesPattern) Year(year int) int {
	if !p.IsYearly() {
		return 0
	}
	return year
}

// IsYearly reports whether the numbers begin anew with each year.
func (p SeriesPattern) IsYearly() bool { return strings.Contains(p.text, yearPlaceholder) }

// Number returns the number with the sequence seq, from 1, in the year.
func (p SeriesPattern) Number(inYear int, seq int64) string {
	digits := strconv.FormatInt(seq, 10)
	if width := sequencePlaceholder.FindStringSubmatch(p.text)[1]; width != "" {
		digits = strings.Repeat("0", max(0, int(width[0]-'0')-len(digits))) + digits
	}
	return strings.ReplaceAll(sequencePlaceholder.ReplaceAllString(p.text, digits), yearPlaceholder, fmt.Sprintf("%04d", inYear))
}

// Collides reports whether two patterns may make the same number: whether they are equal, upper and lower case aside, when each
// run of digits and placeholders is taken as one digit.
func (p SeriesPattern) Collides(q SeriesPattern) bool {
	bare := func(p SeriesPattern) string { return digitRuns.ReplaceAllString(strings.ToLower(p.text), "0") }
	return !p.IsZero() && bare(p) == bare(q)
}

var digitRuns = regexp.MustCompile(`(?:[0-9]|\{year\}|\{seq(?::[1-9])?\})+`)

// Expression returns a regular expression for the numbers of the pattern.
func (p SeriesPattern) Expression() string {
	quoted := regexp.QuoteMeta(p.text)
	quoted = quotedSequence.ReplaceAllString(quoted, "[0-9]+")
	return "^" + strings.ReplaceAll(quoted, regexp.QuoteMeta(yearPlaceholder), "[0-9]{4}") + "$"
}

// Makes reports whether the number is one of the pattern.
func (p SeriesPattern) Makes(number string) bool {
	return !p.IsZero() && regexp.MustCompile(p.Expression()).MatchString(number)
}

var quotedSequence = regexp.MustCompile(`\\\{seq(?::[1-9])?\\\}`)

package performer_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/performer"
)

func TestPatternNumbers(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		seq     int64
		want    string
	}{
		{"{seq}", 7, "7"},
		{"{year}-{seq:4}", 7, "2026-0007"},
		{"{year}-{seq:4}", 12345, "2026-12345"},
		{"RE{seq:3}/{year}/{year}", 42, "RE042/2026/2026"},
	} {
		p, err := performer.ParseSeriesPattern(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Number(2026, tt.seq); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.pattern, got, tt.want)
		}
	}
}

func TestPatternYear(t *testing.T) {
	yearly, _ := performer.ParseSeriesPattern("{year}-{seq}")
	lasting, _ := performer.ParseSeriesPattern("R{seq}")
	if yearly.Year(2026) != 2026 || lasting.Year(2026) != 0 {
		t.Errorf("the years are %d and %d", yearly.Year(2026), lasting.Year(2026))
	}
}

func TestPatternRejects(t *testing.T) {
	for pattern, want := range map[string]error{
		"":                                performer.ErrNoSequence,
		"{year}":                          performer.ErrNoSequence,
		"{seq}{seq}":                      performer.ErrNoSequence,
		"{seq:0}":                         performer.ErrNoSequence,
		"{seq:10}":                        performer.ErrNoSequence,
		"{seq}{month}":                    performer.ErrUnknownPlaceholder,
		"{seq}}":                          performer.ErrUnknownPlaceholder,
		"{seq}" + strings.Repeat("ä", 36): performer.ErrPatternTooLong,
		"{ye{seq}ar}":                     performer.ErrUnknownPlaceholder,
		"{{year}seq}":                     performer.ErrNoSequence,
		"{year}{seq:3}" + strings.Repeat("1", 27): nil,
	} {
		if _, err := performer.ParseSeriesPattern(pattern); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", pattern, err, want)
		}
	}
}

func TestPatternsCollide(t *testing.T) {
	parse := func(s string) performer.SeriesPattern {
		p, _ := performer.ParseSeriesPattern(s)
		return p
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"R{seq}", "r{seq:4}", true}, {"R{seq}", "R1{seq}", true}, {"{seq}", "{year}{seq}", true},
		{"R{seq}", "C{seq}", false}, {"{year}-{seq}", "{seq}", false}, {"R{seq}", "", false}, {"", "R{seq}", false}, {"", "", false},
	} {
		if got := parse(tt.a).Collides(parse(tt.b)); got != tt.want {
			t.Errorf("%s and %s: %v", tt.a, tt.b, got)
		}
	}
}

func TestPatternExpression(t *testing.T) {
	p, _ := performer.ParseSeriesPattern("(a.{year})-{seq:4}")
	matches := regexp.MustCompile(p.Expression()).MatchString
	for number, want := range map[string]bool{
		p.Number(2026, 1): true, p.Number(2026, 123456): true, "(ax2026)-0001": false, "(a.2026)-": false, "1(a.2026)-0001": false,
	} {
		if matches(number) != want {
			t.Errorf("%s: %v", number, !want)
		}
	}
}

// contract 16.57
func TestPatternMakesItsNumbersOnly(t *testing.T) {
	p, _ := performer.ParseSeriesPattern("R{seq:3}")
	for _, tt := range []struct {
		of     performer.SeriesPattern
		number string
		want   bool
	}{
		{p, "R001", true}, {p, "R1", true}, {p, "R", false}, {p, "xR001", false}, {p, "", false}, {performer.SeriesPattern{}, "", false},
		{performer.DraftPattern, "draft-7", true}, {performer.DraftPattern, "draft-", false},
	} {
		if got := tt.of.Makes(tt.number); got != tt.want {
			t.Errorf("%q makes %q: %t", tt.of, tt.number, got)
		}
	}
}

func TestSeriesKindsHaveNames(t *testing.T) {
	for kind, want := range map[performer.SeriesKind]string{performer.InvoiceSeries: "invoice", performer.CreditSeries: "credit"} {
		if got := kind.String(); got != want {
			t.Errorf("kind %d is called %q, want %q", int(kind), got, want)
		}
	}
}

package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

var absent domain.Optional[string]

func TestOptional(t *testing.T) {
	for _, tt := range []struct {
		name string
		sent domain.Optional[string]
		want string // the value, or the error
	}{
		{"absent stays: contract 4.56", absent, "old"},
		{"empty is a value: contract 4.67", domain.Some(""), ""},
		{"outer white space goes, inner stays: contract 4.67", domain.Some("\u2003 a  b\u00a0\n"), "a  b"},
		{"only white space is empty: contract 4.67", domain.Some(" \t\u3000"), ""},
		{"tab and line ends are text", domain.Some("a\t\r\nb"), "a\t\r\nb"},
		{"length is counted in code points: contract 4.69", domain.Some("äöüß€"), "äöüß€"},
		{"length is counted after trimming", domain.Some("  12345  "), "12345"},
		{"too long: contract 4.69", domain.Some("123456"), "invalid: f must have at most 5 characters"},
		{"NUL: contract 4.68", domain.Some("a\x00"), "invalid: f must not hold control characters"},
		{"no UTF-8: contract 4.68", domain.Some("a\xff"), "invalid: f must be valid UTF-8"},
		{"a lone surrogate is no UTF-8", domain.Some("\xed\xa0\x80"), "invalid: f must be valid UTF-8"},
		{"vertical tab: contract 2.21", domain.Some("a\vb"), "invalid: f must not hold control characters"},
		{"also at the end, where it would be trimmed", domain.Some("a\f"), "invalid: f must not hold control characters"},
		{"U+FFFE: contract 2.21", domain.Some("\ufffe"), "invalid: f must not hold control characters"},
		{"U+FFFF: contract 2.21", domain.Some("\uffff"), "invalid: f must not hold control characters"},
		{"U+FFFD and beyond the BMP are text", domain.Some("\ufffd\U0001f600"), "\ufffd\U0001f600"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c fault.Collector
			got := text.Optional(&c, "f", tt.sent, "old", 5)
			if err := c.Err(); err != nil {
				if got != "old" {
					t.Errorf("rejected, yet the value is %q", got)
				}
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRequired(t *testing.T) {
	for _, tt := range []struct {
		name string
		sent domain.Optional[string]
		old  string
		want string
	}{
		{"absent in a new record", absent, "", "invalid: f is required"},
		{"absent in an old record: contract 4.57", absent, "old", "<nil>"},
		{"empty: contract 4.57", domain.Some(""), "old", "invalid: f must not be empty"},
		{"white space: contract 4.67", domain.Some(" \u2003"), "old", "invalid: f must not be empty"},
		{"zero-width space: contract 4.101", domain.Some("\u200b"), "old", "invalid: f must not be empty"},
		{"word joiner and byte order mark", domain.Some(" \u2060\ufeff "), "old", "invalid: f must not be empty"},
		{"fillers", domain.Some("\u3164\u2800\uffa0\u115f"), "old", "invalid: f must not be empty"},
		{"marks of direction and variation", domain.Some("\u200e\ufe0f\u034f"), "old", "invalid: f must not be empty"},
		{"invisible characters beside visible ones are kept", domain.Some("\u0645\u06cc\u200c\u062e"), "old", "<nil>"},
		{"a character that Unicode may add later", domain.Some("\U000dffff"), "old", "<nil>"},
		{"one error per field", domain.Some(" "), "", "invalid: f must not be empty"},
		{"something", domain.Some("x"), "", "<nil>"},
		{"too long", domain.Some(strings.Repeat("x", 6)), "old", "invalid: f must have at most 5 characters"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c fault.Collector
			text.Required(&c, "f", tt.sent, tt.old, 5)
			if got := fmt.Sprint(c.Err()); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEmail(t *testing.T) { // contract 4.71
	local := strings.Repeat("a", 64)
	for sent, ok := range map[string]bool{
		"":                         true,
		"ann@example.org":          true,
		"  ann@example.org ":       true,
		"jürgen@müller.example":    true,
		"a.b+c@example.org":        true,
		"ann":                      false,
		"ann@":                     false,
		"@example.org":             false,
		"Ann <ann@example.org>":    false,
		"<ann@example.org>":        false,
		"ann@example.org (Ann)":    false,
		"a@example.org, b@ex.org":  false,
		"ann@example.org\r\nBcc: ": false,
		"a\u200b@example.org":      false, // contract 4.101
		"ann@example\u00ad.org":    false,
		local + "@" + strings.Repeat("b", text.Mail-len(local)-1): true,
		local + "@" + strings.Repeat("b", text.Mail-len(local)):   false,
	} {
		var c fault.Collector
		got := text.Email(&c, "email", domain.Some(sent), "old@example.org")
		switch err := c.Err(); {
		case ok && err != nil:
			t.Errorf("%q: %v", sent, err)
		case ok && got != strings.TrimSpace(sent):
			t.Errorf("%q became %q", sent, got)
		case !ok && err == nil:
			t.Errorf("%q was taken as %q", sent, got)
		}
	}
}

func TestEmailThatIsStoredIsNotCheckedAgain(t *testing.T) { // contract 4.58
	var c fault.Collector
	old := "older, laxer rules"
	if got := text.Email(&c, "email", domain.Some(old), old); got != old || c.Err() != nil {
		t.Errorf("got %q, %v", got, c.Err())
	}
}

func TestTruncateReturnsStorableText(t *testing.T) {
	for s, want := range map[string]string{
		"":                 "",
		"äöü":              "äöü",
		"äöüß":             "äö…",
		"a\x00b":           "a\uFFFDb",
		"a\xffb":           "a\uFFFDb",
		"a\nb":             "a\nb",
		"\x00\x01\x02\x03": "\uFFFD\uFFFD…",
	} {
		if got := text.Truncate(s, 3); got != want {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
	}
}

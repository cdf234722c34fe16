package text_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

// contract 2.21, 4.67, 4.68, 4.69
func FuzzAcceptedTextCanBeShownInBothFormats(f *testing.F) {
	fuzzseed.Texts(f, "", "a", " a  b\u00a0\n", "a\t\r\nb", "a\x00", "\v", "\xff", "\xed\xa0\x80", "\ufffd", "\ufffe", "\uffff", "\U0001f600", "\U0010ffff", "\u0085", "\u2028", "]]>", "<a>&amp;", strings.Repeat("ä", 64), strings.Repeat("ä", 65))
	f.Fuzz(func(t *testing.T, sent string) {
		var c fault.Collector
		got := text.Optional(&c, "phone", domain.Some(sent), "old", text.Phone)
		trimmed := strings.TrimFunc(sent, unicode.IsSpace)
		isText := shows(sent) && utf8.RuneCountInString(trimmed) <= text.Phone
		if isText != (c.Err() == nil) {
			t.Fatalf("%q: %v, want it to be taken: %v", sent, c.Err(), isText)
		}
		if isText && got != trimmed || !isText && got != "old" {
			t.Errorf("%q is taken as %q", sent, got)
		}
	})
}

// shows reports whether both formats can represent the text: what comes out of XML and
// JSON is what went in.
func shows(s string) bool {
	var b bytes.Buffer
	b.WriteString("<a>")
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return false
	}
	b.WriteString("</a>")
	var fromXML, fromJSON string
	if err := xml.Unmarshal(b.Bytes(), &fromXML); err != nil || fromXML != s {
		return false
	}
	raw, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(raw, &fromJSON)
	}
	return err == nil && fromJSON == s
}

// contract 4.71
func FuzzEmailIsExactlyOneAddress(f *testing.F) {
	fuzzseed.Texts(f, "", "ann@example.org", " ann@example.org ", "jürgen@müller.example", "a.b+c@example.org", "ann", "ann@", "@example.org", "Ann <ann@example.org>", "<ann@example.org>", "ann@example.org (Ann)", "a@example.org, b@example.org",
		"ann@example.org\r\nBcc: b@example.org", `"a@b"@example.org`, `"a b"@example.org`, "a@[127.0.0.1]", "=?utf-8?q?a?=@example.org", "a@b@c", strings.Repeat("a", 250)+"@b.c", "g: a@example.org;")
	f.Fuzz(func(t *testing.T, sent string) {
		var c fault.Collector
		got := text.Email(&c, "email", domain.Some(sent), "old@example.org")
		if c.Err() != nil {
			if got != "old@example.org" {
				t.Errorf("%q is rejected, and yet %q", sent, got)
			}
			return
		}
		if got != strings.TrimSpace(sent) || utf8.RuneCountInString(got) > text.Mail {
			t.Errorf("%q is taken as %q", sent, got)
		}
		if got == "" || got == "old@example.org" {
			return
		}
		local, host, ok := strings.Cut(got, "@")
		isOutside := func(r rune) bool {
			return r == '@' || unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("<>,;:\\\"()", r)
		}
		if !ok || local == "" || host == "" || strings.ContainsFunc(local, isOutside) || strings.ContainsFunc(strings.Trim(host, "[]"), isOutside) && !strings.HasPrefix(host, "[") {
			t.Errorf("%q is taken for one address", got)
		}
		if again := text.Email(&c, "email", domain.Some(got), ""); again != got || c.Err() != nil {
			t.Errorf("%q is not taken again: %v", got, c.Err())
		}
	})
}

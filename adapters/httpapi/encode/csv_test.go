package encode

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
)

func inCSV(t *testing.T, fields string, rows ...cells) string {
	t.Helper()
	s, err := query.Select(samples, query.Parameters{Fields: domain.Some(fields), Expand: domain.Some(""), Flat: true})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	e := CSV{&b}
	e.Header(s)
	e.Lines(rowsOf(s, rows...), s)
	return b.String()
}

func TestCSVWritesEachKindOfValue(t *testing.T) {
	for name, c := range map[string]struct{ field, cell, want string }{
		"contract 2.52, an id":                  {"id", "9007199254740993", "9007199254740993"},
		"contract 2.52, true":                   {"paid", "t", "true"},
		"contract 2.52, false":                  {"paid", "f", "false"},
		"contract 2.52, money":                  {"price", "86.4000", "86.4000"},
		"contract 2.52, 2.56, negative money":   {"price", "-5.0000", "-5.0000"},
		"contract 2.52, a count":                {"count", "-2.500000", "-2.5"},
		"contract 2.52, an instant":             {"born", "2024-03-09 16:05:00.123+00", "2024-03-09 16:05:00"},
		"contract 2.52, texts":                  {"tags", "a,b", `"a,b"`},
		"contract 2.52, a quote":                {"name", `6" pipe`, `"6"" pipe"`},
		"contract 2.52, line ends":              {"name", "a\r\nb", "\"a\r\nb\""},
		"contract 2.52, letters beyond ASCII":   {"name", "Żółw 🐢", `"Żółw 🐢"`},
		"contract 2.56, a formula":              {"name", "=1+1", `"'=1+1"`},
		"contract 2.56, a quoted formula":       {"name", `=HYPERLINK("x","y")`, `"'=HYPERLINK(""x"",""y"")"`},
		"contract 2.56, a minus":                {"name", "-5.00 EUR", `"'-5.00 EUR"`},
		"contract 2.56, a command":              {"name", "-2+3+cmd|' /C calc'!A0", `"'-2+3+cmd|' /C calc'!A0"`},
		"contract 2.56, a plus":                 {"name", "+49 cmd", `"'+49 cmd"`},
		"contract 2.56, an at sign":             {"name", "@SUM(A1)", `"'@SUM(A1)"`},
		"contract 2.56, a tab":                  {"name", "\t=1", "\"'\t'=1\""},
		"contract 2.56, a carriage return":      {"name", "\r=1", "\"'\r'=1\""},
		"contract 2.56, full width":             {"name", "＝1+1", `"'＝1+1"`},
		"contract 2.56, a full-width plus":      {"name", "＋1", `"'＋1"`},
		"contract 2.56, a full-width minus":     {"name", "－1", `"'－1"`},
		"contract 2.56, a full-width at sign":   {"name", "＠SUM(A1)", `"'＠SUM(A1)"`},
		"contract 2.56, a formula in a list":    {"tags", "=1,b", `"'=1,b"`},
		"contract 2.56, a sign inside the text": {"name", "a=b, -c", `"a=b, -c"`},
		"contract 2.56, after a semicolon":      {"name", "x;=1;-y;＝2", `"x;'=1;'-y;'＝2"`},
		"contract 2.56, after spaces":           {"name", `x; "=1"`, `"x; ""'=1"""`},
		"contract 2.56, after a tab":            {"name", "x\t@SUM(A1)", "\"x\t'@SUM(A1)\""},
		"contract 2.56, after a line break":     {"name", "x\n=1\r\n- cmd|' /C calc'!A0", "\"x\n'=1\r\n'- cmd|' /C calc'!A0\""},
		"contract 2.56, items of a list":        {"name", "with\n- a desk; new\n+ a tray", "\"with\n- a desk; new\n+ a tray\""},
		"contract 2.56, a phone number":         {"name", "+49 (431) 555-0111/2", `"+49 (431) 555-0111/2"`},
		"contract 2.56, typeset phone numbers":  {"name", "+49\u00a0431.555\u20110111; +48 22 1", "\"+49\u00a0431.555\u20110111; +48 22 1\""},
		"contract 2.56, a number":               {"name", "-1,234.50", `"-1,234.50"`},
	} {
		if got, want := inCSV(t, "id,"+c.field, cells{"id": "7", c.field: c.cell}), "id,"+c.field+"\r\n7,"+c.want+"\r\n"; c.field != "id" && got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if got, want := inCSV(t, c.field, cells{c.field: c.cell}), c.field+"\r\n"+c.want+"\r\n"; got != want {
			t.Errorf("%s: alone got %q, want %q", name, got, want)
		}
	}
}

// contract 2.52
func TestCSVHasALineForEachRecord(t *testing.T) {
	got := inCSV(t, "id,name,owner,parts",
		cells{"id": "1", "name": "a", "owner.id": "5", "owner.name": "x, y", "parts": "tf"}, cells{"id": "2"})
	if want := "id,name,owner.id,owner.name\r\n1,\"a\",5,\"x, y\"\r\n2,,,\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := inCSV(t, "name", cells{}, cells{"name": "a"}), "name\r\n\"\"\r\n\"a\"\r\n"; got != want {
		t.Errorf("a single column: got %q, want %q", got, want)
	}
	if got := inCSV(t, "owner.name"); got != "owner.name\r\n" {
		t.Errorf("without records: got %q", got)
	}
}

// contract 2.52, 2.56
func FuzzCSVIsReadByOthers(f *testing.F) {
	for _, text := range []string{"", "a", `"`, ",", "\n", "a\"b,c", "=", "\n=1", "ä", "x;=1", "x\t\"=1", ";", "+49 431", "\"\n\"-cmd|!A1", "\t\t=1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if bytes.ContainsAny([]byte(text), "\r") {
			t.Skip("Go's reader changes line ends")
		}
		written := inCSV(t, "id,name", cells{"id": "1", "name": text}, cells{"id": "2", "name": "z"})
		for _, separator := range ",;\t" {
			r := csv.NewReader(strings.NewReader(written))
			r.Comma, r.LazyQuotes, r.FieldsPerRecord = separator, true, -1
			lines, err := r.ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, cell := range slices.Concat(lines...) {
				if strings.ContainsAny(cell[:min(1, len(cell))], "=@") {
					t.Errorf("%q is read with %q as %q", written, separator, lines)
				}
			}
			if separator == ',' && (len(lines) != 3 || strings.ReplaceAll(lines[1][1], "'", "") != strings.ReplaceAll(text, "'", "")) {
				t.Errorf("%q is read as %q", written, lines)
			}
		}
	})
}

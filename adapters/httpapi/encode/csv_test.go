package encode

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		"contract 2.55, an id":                  {"id", "9007199254740993", "9007199254740993"},
		"contract 2.55, true":                   {"paid", "t", "true"},
		"contract 2.55, false":                  {"paid", "f", "false"},
		"contract 2.55, money":                  {"price", "86.4000", "86.4000"},
		"contract 2.55, 2.56, negative money":   {"price", "-5.0000", "-5.0000"},
		"contract 2.55, a count":                {"count", "-2.500000", "-2.5"},
		"contract 2.55, an instant":             {"born", "2024-03-09 16:05:00.123+00", "2024-03-09 16:05:00"},
		"contract 2.55, texts":                  {"tags", "a,b", `"a,b"`},
		"contract 2.52, a quote":                {"name", `6" pipe`, `"6"" pipe"`},
		"contract 2.52, line ends":              {"name", "a\r\nb", "\"a\r\nb\""},
		"contract 2.52, letters beyond ASCII":   {"name", "Żółw 🐢", "Żółw 🐢"},
		"contract 2.56, a formula":              {"name", "=1+1", "'=1+1"},
		"contract 2.56, a quoted formula":       {"name", `=HYPERLINK("x","y")`, `"'=HYPERLINK(""x"",""y"")"`},
		"contract 2.56, a plus":                 {"name", "+49 431", "'+49 431"},
		"contract 2.56, a minus":                {"name", "-5.00", "'-5.00"},
		"contract 2.56, an at sign":             {"name", "@SUM(A1)", "'@SUM(A1)"},
		"contract 2.56, a tab":                  {"name", "\t=1", "'\t=1"},
		"contract 2.56, a carriage return":      {"name", "\r=1", "\"'\r=1\""},
		"contract 2.56, a formula in a list":    {"tags", "=1,b", `"'=1,b"`},
		"contract 2.56, a sign inside the text": {"name", "a=b", "a=b"},
	} {
		if got, want := inCSV(t, "id,"+c.field, cells{"id": "7", c.field: c.cell}), "id,"+c.field+"\r\n7,"+c.want+"\r\n"; c.field != "id" && got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if got, want := inCSV(t, c.field, cells{c.field: c.cell}), c.field+"\r\n"+c.want+"\r\n"; got != want {
			t.Errorf("%s: alone got %q, want %q", name, got, want)
		}
	}
}

// contract 2.52, 2.54, 2.55
func TestCSVHasALineForEachRecord(t *testing.T) {
	got := inCSV(t, "id,name,owner,parts",
		cells{"id": "1", "name": "a", "owner.id": "5", "owner.name": "x, y", "parts": "tf"}, cells{"id": "2"})
	if want := "id,name,owner.id,owner.name\r\n1,a,5,\"x, y\"\r\n2,,,\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := inCSV(t, "name", cells{}, cells{"name": "a"}), "name\r\n\"\"\r\na\r\n"; got != want {
		t.Errorf("a single column: got %q, want %q", got, want)
	}
	if got := inCSV(t, "owner.name"); got != "owner.name\r\n" {
		t.Errorf("without records: got %q", got)
	}
}

// contract 2.52
func FuzzCSVIsReadByOthers(f *testing.F) {
	for _, text := range []string{"", "a", `"`, ",", "\n", "a\"b,c", "=", "\n=1", "ä"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if bytes.ContainsAny([]byte(text), "\r") {
			t.Skip("Go's reader changes line ends")
		}
		written := inCSV(t, "id,name", cells{"id": "1", "name": text}, cells{"id": "2", "name": "z"})
		lines, err := csv.NewReader(bytes.NewReader([]byte(written))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if text != "" && bytes.IndexByte([]byte("=+-@\t"), text[0]) >= 0 {
			text = "'" + text
		}
		if want := [][]string{{"id", "name"}, {"1", text}, {"2", "z"}}; !cmp.Equal(lines, want) {
			t.Errorf("%q is read as %q", written, lines)
		}
	})
}

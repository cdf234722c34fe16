package encode

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// samples is a table with an attribute of each kind.
var samples = &readmodel.Resource{
	Name:          "sample",
	Expansions:    []string{"owner", "parts"},
	DefaultSort:   "id",
	Discriminator: "type",
	Attributes: []readmodel.Attribute{
		{Name: "id", Kind: readmodel.ID},
		{Name: "type", Kind: readmodel.Integer},
		{Name: "name", Kind: readmodel.Text},
		{Name: "paid", Kind: readmodel.Bool},
		{Name: "price", Kind: readmodel.Money},
		{Name: "vat", Kind: readmodel.Percent},
		{Name: "count", Kind: readmodel.Quantity},
		{Name: "tags", Kind: readmodel.Texts},
		{Name: "born", Kind: readmodel.Time},
		{Name: "first", Kind: readmodel.Text, Only: "1"},
		{Name: "second", Kind: readmodel.Text, Only: "2"},
		{Name: "owner", Kind: readmodel.Object, With: "owner", Of: []readmodel.Attribute{
			{Name: "id", Kind: readmodel.ID}, {Name: "name", Kind: readmodel.Text},
		}},
		{Name: "parts", Kind: readmodel.List, With: "parts", Of: []readmodel.Attribute{
			{Name: "id", Kind: readmodel.ID}, {Name: "paid", Kind: readmodel.Bool},
		}},
	},
}

// cells are the cells of a row by path; others are null.
type cells map[string]string

// rowsOf makes rows for the selection.
func rowsOf(s *readmodel.Selection, all ...cells) *readmodel.Rows {
	rows := readmodel.NewRows(len(s.Paths))
	for _, row := range all {
		for i, path := range s.Paths {
			text, ok := row[path]
			switch inner := s.Lists[i]; {
			case inner != nil:
				rows.AppendList(rowsOf(inner, partsOf(text)...))
			case ok:
				rows.Append([]byte(text))
			default:
				rows.Append(nil)
			}
		}
	}
	rows.Total = int64(len(all))
	return rows
}

// partsOf is a part for each letter: t, f, or n for null.
func partsOf(letters string) (parts []cells) {
	for _, letter := range letters {
		part := cells{"id": "1"}
		if letter != 'n' {
			part["paid"] = string(letter)
		}
		parts = append(parts, part)
	}
	return parts
}

func selected(t *testing.T, fields string) *readmodel.Selection {
	t.Helper()
	s, err := query.Select(samples, query.Parameters{Fields: domain.Some(fields), Expand: domain.Some(""), Record: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// written is the output of both encoders.
func written(write func(e Encoder)) (inJSON, inXML string) {
	var j, x bytes.Buffer
	write(JSON(&j))
	write(XML(&x))
	return j.String(), x.String()
}

func TestEncodersWriteEachKindOfValue(t *testing.T) {
	for name, c := range map[string]struct {
		field, cell   string
		inJSON, inXML string
	}{
		"contract 2.14, an id":                     {"id", "9007199254740993", `9007199254740993`, `<id>9007199254740993</id>`},
		"contract 2.14, a counter":                 {"type", "0", `0`, `<type>0</type>`},
		"contract 2.14, true":                      {"paid", "t", `true`, `<paid>1</paid>`},
		"contract 2.14, false":                     {"paid", "f", `false`, `<paid/>`},
		"contract 2.14, money":                     {"price", "86.4000", `"86.4000"`, `<price>86.4000</price>`},
		"contract 2.14, no money":                  {"price", "0.0000", `"0.0000"`, `<price>0.0000</price>`},
		"contract 6.26, a percentage":              {"vat", "7.50", `"7.50"`, `<vat>7.50</vat>`},
		"contract 2.14, a count":                   {"count", "2.500000", `2.5`, `<count>2.5</count>`},
		"contract 2.14, a whole one":               {"count", "100.000000", `100`, `<count>100</count>`},
		"contract 2.14, a whole one without point": {"count", "100", `100`, `<count>100</count>`},
		"contract 2.14, a small one":               {"count", "-0.000001", `-0.000001`, `<count>-0.000001</count>`},
		"contract 2.14, an instant":                {"born", "2024-03-09 16:05:00.123456+00", `"2024-03-09 16:05:00"`, `<born>2024-03-09 16:05:00</born>`},
		"contract 2.14, a date":                    {"born", "2024-03-09 16:05:00", `"2024-03-09 16:05:00"`, `<born>2024-03-09 16:05:00</born>`},
		"contract 2.12, markup in a text":          {"name", `<b> & "c"`, `"<b> & \"c\""`, `<name>&lt;b&gt; &amp; "c"</name>`},
		"contract 2.12, letters beyond ASCII":      {"name", "Żółw 🐢\u2028", "\"Żółw 🐢\u2028\"", "<name>Żółw 🐢\u2028</name>"},
		"contract 2.21, line ends":                 {"name", "a\r\nb\tc", `"a\r\nb\tc"`, "<name>a&#13;\nb\tc</name>"},
		"contract 2.14, texts":                     {"tags", "a,b", `["a","b"]`, `<tags><item>a</item><item>b</item></tags>`},
		"contract 2.14, no texts":                  {"tags", "", `[]`, `<tags/>`},
		"the end of character data":                {"name", "]]>", `"]]>"`, `<name>]]&gt;</name>`},
		"a backslash":                              {"name", `\n`, `"\\n"`, `<name>\n</name>`},
		"an empty text":                            {"name", "", `""`, `<name/>`},
	} {
		t.Run(name, func(t *testing.T) {
			s := selected(t, c.field)
			rows := rowsOf(s, cells{c.field: c.cell})
			inJSON, inXML := written(func(e Encoder) { e.Record(rows, s) })
			if want := `{"response":{"` + c.field + `":` + c.inJSON + `}}`; inJSON != want {
				t.Errorf("JSON is\n%s, want\n%s", inJSON, want)
			}
			if want := xml.Header + `<response>` + c.inXML + `</response>`; inXML != want {
				t.Errorf("XML is\n%s, want\n%s", inXML, want)
			}
		})
	}
}

// contract 2.14
func TestEncodersWriteNullAsNullAndEmptyElement(t *testing.T) {
	for _, field := range []string{"id", "type", "name", "paid", "price", "vat", "count", "born", "owner"} {
		s := selected(t, field)
		rows := rowsOf(s, cells{})
		inJSON, inXML := written(func(e Encoder) { e.Record(rows, s) })
		if want := `{"response":{"` + field + `":null}}`; inJSON != want {
			t.Errorf("JSON is %s, want %s", inJSON, want)
		}
		if want := xml.Header + `<response><` + field + `/></response>`; inXML != want {
			t.Errorf("XML is %s, want %s", inXML, want)
		}
	}
}

// contract 2.1, 2.11, 2.14, 9.14
func TestEncodersWriteNestedRecords(t *testing.T) {
	s := selected(t, "parts,owner,second,first,name,id")
	first := cells{"id": "1", "type": "1", "name": "a", "first": "x", "second": "never", "owner.id": "7", "owner.name": "Ada", "parts": "tfn"}
	second := cells{"id": "2", "type": "2", "second": "y", "owner.id": "8"}
	rows := rowsOf(s, first, second)

	inJSON, inXML := written(func(e Encoder) { e.List(rows, s) })
	const firstJSON = `{"id":1,"name":"a","first":"x","owner":{"id":7,"name":"Ada"},"parts":[{"id":1,"paid":true},{"id":1,"paid":false},{"id":1,"paid":null}]}`
	const firstXML = `<id>1</id><name>a</name><first>x</first><owner><id>7</id><name>Ada</name></owner>` +
		`<parts><item><id>1</id><paid>1</paid></item><item><id>1</id><paid/></item><item><id>1</id><paid/></item></parts>`
	if want := `{"response":{"items":[` + firstJSON + `,{"id":2,"name":null,"second":"y","owner":{"id":8,"name":null},"parts":[]}]}}`; inJSON != want {
		t.Errorf("JSON: -want +got\n%s", cmp.Diff(want, inJSON))
	}
	if want := xml.Header + `<response><item>` + firstXML + `</item>` +
		`<item><id>2</id><name/><second>y</second><owner><id>8</id><name/></owner><parts/></item></response>`; inXML != want {
		t.Errorf("XML: -want +got\n%s", cmp.Diff(want, inXML))
	}

	inJSON, inXML = written(func(e Encoder) { e.Record(rows, s) })
	if want := `{"response":` + firstJSON + `}`; inJSON != want {
		t.Errorf("JSON: -want +got\n%s", cmp.Diff(want, inJSON))
	}
	if want := xml.Header + `<response>` + firstXML + `</response>`; inXML != want {
		t.Errorf("XML: -want +got\n%s", cmp.Diff(want, inXML))
	}
}

// contract 2.1
func TestEncodersWriteEmptyLists(t *testing.T) {
	s := selected(t, "id")
	rows := rowsOf(s)
	inJSON, inXML := written(func(e Encoder) { e.List(rows, s) })
	if want := `{"response":{"items":[]}}`; inJSON != want {
		t.Errorf("JSON is %s, want %s", inJSON, want)
	}
	if want := xml.Header + `<response></response>`; inXML != want {
		t.Errorf("XML is %s, want %s", inXML, want)
	}
}

func TestEncodersRoundTripEveryAllowedCharacter(t *testing.T) {
	var all bytes.Buffer
	for r := range rune(0x300) {
		if r >= 0x20 || r == '\t' || r == '\n' || r == '\r' {
			all.WriteRune(r)
		}
	}
	all.WriteString("\u2028\u2029\uFEFF\uFFFD😀]]>")
	s := selected(t, "name")
	rows := rowsOf(s, cells{"name": all.String()})
	inJSON, inXML := written(func(e Encoder) { e.Record(rows, s) })

	var fromJSON struct {
		Response struct {
			Name string `json:"name"`
		} `json:"response"`
	}
	if err := json.Unmarshal([]byte(inJSON), &fromJSON); err != nil || fromJSON.Response.Name != all.String() {
		t.Errorf("JSON gives %q, %v", fromJSON.Response.Name, err)
	}
	var fromXML struct {
		Name string `xml:"name"`
	}
	if err := xml.Unmarshal([]byte(inXML), &fromXML); err != nil || fromXML.Name != all.String() {
		t.Errorf("XML gives %q, %v", fromXML.Name, err)
	}
}

// contract 4.97
func TestEncodersWritePlaceholdersAsNull(t *testing.T) {
	s := selected(t, "id,owner")
	inJSON, inXML := written(func(e Encoder) {
		e.Record(rowsOf(s, cells{"id": "9000000000000000000", "owner.id": "9199999999999999999", "owner.name": "Ada"}), s)
	})
	if want := `{"response":{"id":null,"owner":{"id":null,"name":"Ada"}}}`; inJSON != want {
		t.Errorf("JSON is %s, want %s", inJSON, want)
	}
	if want := xml.Header + `<response><id/><owner><id/><name>Ada</name></owner></response>`; inXML != want {
		t.Errorf("XML is %s, want %s", inXML, want)
	}
	inJSON, _ = written(func(e Encoder) { e.Record(rowsOf(s, cells{"id": "8999999999999999999"}), s) })
	if want := `{"response":{"id":8999999999999999999,"owner":null}}`; inJSON != want {
		t.Errorf("JSON is %s, want %s", inJSON, want)
	}
}

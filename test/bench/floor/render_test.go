package floor

import "testing"

func TestInnerRowsAreReadFromJSON(t *testing.T) {
	p := Program{Steps: []Step{
		{Kind: Literal, Text: `{"id":`},
		{Kind: Raw, Column: 0},
		{Kind: Literal, Text: `,"name":`},
		{Kind: Quoted, Column: 1},
		{Kind: Literal, Text: `,"count":`},
		{Kind: Quantity, Column: 2},
		{Kind: Literal, Text: `}`},
	}}
	list := Program{Steps: []Step{{Kind: Inner, Column: 0, Of: p}}}
	for cell, want := range map[string]string{
		"": `[]`,
		`[["1", "a, ]\"[\\\n\u00fc\u0007", "2.500"], ["2", null, "10"]]`: `[{"id":1,"name":"a, ]\"[\\\nü\u0007","count":2.5},{"id":2,"name":null,"count":10}]`,
	} {
		if got := string(list.Record(nil, [][]byte{[]byte(cell)})); got != want {
			t.Errorf("%s is\n%s, want\n%s", cell, got, want)
		}
	}
}

func TestStepsAreSkippedForRecordsOfAnotherType(t *testing.T) {
	p := Program{Steps: []Step{
		{Kind: Literal, Text: `{"paid":`},
		{Kind: Truth, Column: 0},
		{Kind: Only, Column: 1, Text: "1", Skip: 2},
		{Kind: Literal, Text: `,"only":`},
		{Kind: Raw, Column: 1},
		{Kind: Literal, Text: `,"user":`},
		{Kind: Unless, Column: 2, Skip: 3},
		{Kind: Literal, Text: `{"at":`},
		{Kind: Clock, Column: 3},
		{Kind: Literal, Text: `}`},
		{Kind: Literal, Text: `}`},
	}}
	for want, cells := range map[string][][]byte{
		`{"paid":true,"only":1,"user":{"at":"2024-03-04 10:00:00"}}`: {[]byte("t"), []byte("1"), []byte("5"), []byte("2024-03-04 10:00:00.5+00")},
		`{"paid":false,"user":null}`:                                 {[]byte("f"), []byte("2"), nil, nil},
	} {
		if got := string(p.Record(nil, cells)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/user"
)

// inputOf is a record whose attribute a has the value, in JSON.
func inputOf(t *testing.T, value string) *input {
	t.Helper()
	n, err := body.Decode("application/json", []byte(`{"a":`+value+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return &input{Value: n, prefix: "items[1]."}
}

// attribute formats the result of parsing an attribute: the value, "absent" or
// "rejected".
func attribute[T any](in *input, value domain.Optional[T]) string {
	v, ok := value.Get()
	switch {
	case len(in.request.Wrong) == 1 && in.request.Wrong[0].Name == "items[1].a" && !ok:
		return "rejected"
	case len(in.request.Wrong) > 0:
		return fmt.Sprintf("rejected as %v", in.request.Wrong)
	case !ok:
		return "absent"
	}
	return fmt.Sprint(v)
}

func TestInputReadsAttributesByType(t *testing.T) {
	readers := map[string]func(in *input) string{
		"text":     func(in *input) string { return attribute(in, in.text("a")) },
		"boolean":  func(in *input) string { return attribute(in, in.boolean("a")) },
		"integer":  func(in *input) string { return attribute(in, in.integer("a")) },
		"id":       func(in *input) string { return attribute(in, idField[user.ID](in, "a")) },
		"embedded": func(in *input) string { return attribute(in, embeddedID[user.ID](in, "a")) },
		"amount":   func(in *input) string { return attribute(in, parsed(in, "a", money.ParseAmount)) },
	}
	// The columns: text, boolean, integer, id, embedded id, amount.
	columns := []string{"text", "boolean", "integer", "id", "embedded", "amount"}
	for value, want := range map[string][6]string{
		`"x"`:          {"x", "rejected", "rejected", "rejected", "rejected", "rejected"},
		`" x "`:        {" x ", "rejected", "rejected", "rejected", "rejected", "rejected"},
		`""`:           {"", "false", "absent", "0", "0", "absent"},  // contract 2.30
		`" "`:          {" ", "false", "absent", "0", "0", "absent"}, // contract 2.30, 4.67
		`null`:         {"", "false", "absent", "0", "0", "absent"},
		`true`:         {"rejected", "true", "rejected", "rejected", "rejected", "rejected"},
		`false`:        {"rejected", "false", "rejected", "rejected", "rejected", "rejected"},
		`"true"`:       {"true", "true", "rejected", "rejected", "rejected", "rejected"}, // contract 2.30
		`"TRUE"`:       {"TRUE", "rejected", "rejected", "rejected", "rejected", "rejected"},
		`1`:            {"rejected", "true", "1", "1", "1", "1.0000"},
		`"1"`:          {"1", "true", "1", "1", "1", "1.0000"}, // contract 2.30
		`" 1 "`:        {" 1 ", "true", "1", "1", "1", "1.0000"},
		`0`:            {"rejected", "false", "0", "rejected", "rejected", "0.0000"},
		`"0"`:          {"0", "false", "0", "rejected", "rejected", "0.0000"},
		`-7`:           {"rejected", "rejected", "-7", "rejected", "rejected", "-7.0000"},
		`"+7"`:         {"+7", "rejected", "7", "rejected", "rejected", "7.0000"},
		`1.5`:          {"rejected", "rejected", "rejected", "rejected", "rejected", "1.5000"},
		`307.0`:        {"rejected", "rejected", "307", "307", "307", "307.0000"}, // contract 2.30
		`"307.00"`:     {"307.00", "rejected", "307", "307", "307", "307.0000"},
		`-0.0`:         {"rejected", "rejected", "0", "rejected", "rejected", "0.0000"},
		`1e3`:          {"rejected", "rejected", "1000", "1000", "1000", "1000.0000"},
		`1e-1`:         {"rejected", "rejected", "rejected", "rejected", "rejected", "0.1000"},
		`1.23456`:      {"rejected", "rejected", "rejected", "rejected", "rejected", "rejected"},
		`4294967296`:   {"rejected", "rejected", "rejected", "4294967296", "4294967296", "4294967296.0000"},
		`1e999`:        {"rejected", "rejected", "rejected", "rejected", "rejected", "rejected"},
		`[1]`:          {"rejected", "rejected", "rejected", "rejected", "rejected", "rejected"},
		`{"id":7}`:     {"rejected", "rejected", "rejected", "rejected", "7", "rejected"}, // contract 4.59
		`{"id":"7"}`:   {"rejected", "rejected", "rejected", "rejected", "7", "rejected"},
		`{"id":null}`:  {"rejected", "rejected", "rejected", "rejected", "0", "rejected"},
		`{}`:           {"rejected", "rejected", "rejected", "rejected", "0", "rejected"},
		`{"id":{}}`:    {"rejected", "rejected", "rejected", "rejected", "rejected", "rejected"},
		`{"name":"x"}`: {"rejected", "rejected", "rejected", "rejected", "0", "rejected"},
	} {
		for i, kind := range columns {
			if got := readers[kind](inputOf(t, value)); got != want[i] {
				t.Errorf("%s as %s is %q, want %q", value, kind, got, want[i])
			}
		}
	}
	for kind, read := range readers {
		in := &input{Value: body.Value{Kind: body.Record}, prefix: "items[1]."}
		if got := read(in); got != "absent" {
			t.Errorf("a missing attribute is read as %s %q", kind, got)
		}
	}
}

// contract 2.34
func TestInputTakesNoTextOfJSONForAList(t *testing.T) {
	for name, read := range map[string]func(in *input) string{
		"texts": func(in *input) string { return attribute(in, in.texts("a")) },
		"lines": func(in *input) string {
			in.Fields["items"] = in.Fields["a"]
			lines := invoiceLines(in)
			for i := range in.request.Wrong {
				in.request.Wrong[i].Name = "items[1].a"
			}
			return attribute(in, lines)
		},
	} {
		for _, value := range []string{`""`, `" "`, `"x"`, `0`, `false`, `{}`, `[0]`} {
			if got := read(inputOf(t, value)); !strings.HasPrefix(got, "rejected") {
				t.Errorf("%s %s: got %s, want it rejected", name, value, got)
			}
		}
		if got := read(inputOf(t, "[]")); got != "[]" {
			t.Errorf("%s []: got %s", name, got)
		}
		for contentType, empty := range map[string]string{"application/xml": "<r><a> </a></r>", "application/x-www-form-urlencoded": "a="} {
			record, err := body.Decode(contentType, []byte(empty))
			if got := read(&input{Value: record}); err != nil || got != "[]" {
				t.Errorf("%s of %s: got %s, %v, want an empty list", name, contentType, got, err)
			}
		}
	}
}

// contract 3.39
func TestInputSaysWhatIsWrongWithANumberOrDate(t *testing.T) {
	price := func(in *input) { parsed(in, "a", money.ParseAmount) }
	date := func(in *input) { parsed(in, "a", civil.Parse) }
	for _, test := range []struct {
		value string
		read  func(in *input)
		want  fault.Code
	}{
		{`"ten"`, price, fault.WrongType},
		{`[]`, price, fault.WrongType},
		{`"1.00001"`, price, fault.TooPrecise},
		{`1e12`, price, fault.OutOfRange},
		{`"101"`, func(in *input) { parsed(in, "a", money.ParsePercent) }, fault.OutOfRange},
		{`"2024-13-01"`, date, fault.WrongType},
	} {
		in := inputOf(t, test.value)
		if test.read(in); len(in.request.Wrong) != 1 || in.request.Wrong[0].Code != test.want {
			t.Errorf("%s: got %+v, want the code %s", test.value, in.request.Wrong, test.want)
		}
	}
}

package body

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

const asJSON = "application/json"

func TestDecodeJSONKeepsValuesAsSent(t *testing.T) {
	one := Value{Kind: Number, Text: "1"}
	for name, c := range map[string]struct {
		body string
		want map[string]Value
	}{
		"contract 2.35, nothing in it": {` {} `, map[string]Value{}},
		"every kind of value": {
			`{"text":"ä\n\u00e4","number":-1.50e3,"yes":true,"no":false,"nothing":null,"list":[1,"a"],"record":{"a":1}}`,
			map[string]Value{
				"text":    {Kind: String, Text: "ä\nä"},
				"number":  {Kind: Number, Text: "-1.50e3"},
				"yes":     {Kind: Bool, Text: "true"},
				"no":      {Kind: Bool, Text: "false"},
				"nothing": {Kind: Null},
				"list":    {Kind: List, Items: []Value{one, {Kind: String, Text: "a"}}},
				"record":  {Kind: Record, Fields: map[string]Value{"a": one}},
			},
		},
		"a number of any length":                  {`{"a":123456789012345678901234567890.123456789}`, map[string]Value{"a": {Kind: Number, Text: "123456789012345678901234567890.123456789"}}},
		"the last of two values":                  {`{"a":2,"a":1}`, map[string]Value{"a": one}},
		"contract 2.27, the root of a response":   {`{"response":{"a":1}}`, map[string]Value{"a": one}},
		"contract 2.27, once":                     {`{"response":{"response":{"a":1}}}`, map[string]Value{"response": {Kind: Record, Fields: map[string]Value{"a": one}}}},
		"contract 2.27, only as the single field": {`{"response":{"a":1},"a":1}`, map[string]Value{"a": one, "response": {Kind: Record, Fields: map[string]Value{"a": one}}}},
		"contract 2.27, only if it is a record":   {`{"response":1}`, map[string]Value{"response": one}},
		"a pair of surrogates":                    {`{"a":"\ud83d\uDE00"}`, map[string]Value{"a": {Kind: String, Text: "😀"}}},
		"a backslash before what looks like one":  {`{"a":"\\ud83d\\\\ud83d"}`, map[string]Value{"a": {Kind: String, Text: `\ud83d\\ud83d`}}},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := Decode(asJSON, []byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Value{Kind: Record, Fields: c.want}, n); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// contract 2.35, 3.7
func TestDecodeRejectsInvalidRecords(t *testing.T) {
	for _, body := range []string{
		"[]", "[{}]", "1", `"a"`, "null", "true", // not a record
		"", " ", "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":[1`, // ends too early
		"{}{}", "{} x", "{},", `{"a":1}}`, // text after the end
		`{"a" 1}`, `{"a":1 "b":2}`, `{"a":1,}`, `{,}`, `{a:1}`, `{'a':1}`, `{"a":01}`, `{"a":+1}`, `{"a":.5}`, `{"a":NaN}`, `{"a":[1,]}`, `{"a":[1}`,
		"{\"a\":\"\n\"}", `{"a":"\x41"}`, `{"a":"\ud83`, "\xef\xbb\xbf", "\xef\xbb\xbf\xef\xbb\xbf{}", "a=1", "<a/>", "{\xff}",
	} {
		if _, err := Decode(asJSON, []byte(body)); !fault.Is(err, fault.Malformed) {
			t.Errorf("%q: got error %v, want one of kind %s", body, err, fault.Malformed)
		}
	}
}

// contract 2.35
func TestDecodeSaysWhereJSONIsWrong(t *testing.T) {
	for body, want := range map[string]string{
		`{"name":"ä","type":1,}`: "there must be no comma before } (line 1, column 22)",
		"{\"on\":[1,\n ]}":       "there must be no comma before ] (line 2, column 2)",
		"{\n\"a\" 1}":            "invalid character '1' after object key (line 2, column 5)",
		`{"a":1`:                 "unexpected end",
	} {
		if _, err := Decode(asJSON, []byte(body)); err == nil || fault.As(err).Message != "the body is not JSON: "+want {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// contract 2.39
func TestDecodeLimitsNesting(t *testing.T) {
	nested := func(depth int, open, inner, end string) []byte {
		return []byte(strings.Repeat(open, depth) + inner + strings.Repeat(end, depth))
	}
	for _, c := range []struct{ open, inner, end string }{{`{"a":`, "1", "}"}, {"[", "", "]"}} {
		if _, err := decodeJSON(nested(maxDepth, c.open, c.inner, c.end)); err != nil {
			t.Errorf("%d times %s: %v", maxDepth, c.open, err)
		}
		for _, depth := range []int{maxDepth + 1, 1_000_000} {
			if _, err := decodeJSON(nested(depth, c.open, c.inner, c.end)); !fault.Is(err, fault.Malformed) {
				t.Errorf("%d times %s: got error %v, want one of kind %s", depth, c.open, err, fault.Malformed)
			}
		}
	}
}

// contract 2.21, 4.68
func TestDecodeMarksInvalidText(t *testing.T) {
	for name, body := range map[string]string{
		"bytes that are not UTF-8":     "{\"a\":\"x\xff\xfey\",\"b\":\"good\"}",
		"a surrogate as bytes":         "{\"a\":\"\xed\xa0\x80\",\"b\":\"good\"}",
		"the first half of a pair":     `{"a":"\ud83d","b":"good"}`,
		"the second half of a pair":    `{"a":"\udE00","b":"good"}`,
		"the halves in wrong order":    `{"a":"\ude00\ud83d","b":"good"}`,
		"a half before another escape": `{"a":"\ud83d\n","b":"good"}`,
		"a half before a whole pair":   `{"a":"\ud83d\ud83d\ude00","b":"good"}`,
		"NUL":                          `{"a":"\u0000","b":"good"}`,
	} {
		t.Run(name, func(t *testing.T) {
			n, err := Decode(asJSON, []byte(body))
			if err != nil {
				t.Fatal(err)
			}
			want := "must be valid UTF-8"
			if name == "NUL" {
				want = "must not hold control characters"
			}
			if got := text.Illegal(n.Fields["a"].Text); got != want {
				t.Errorf("%q %q, want %q", n.Fields["a"].Text, got, want)
			}
			if got := n.Fields["b"].Text; got != "good" {
				t.Errorf("the field beside it is %q", got)
			}
		})
	}
}

// contract 2.23
func TestDecodeRejectsUnsupportedContentTypes(t *testing.T) {
	for contentType, want := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "Application/JSON": true,
		"": false, "text/plain": false, "application/jsonp": false, "application/problem+json": false, "json": false, ";": false,
	} {
		_, err := Decode(contentType, []byte("{}"))
		if want && err == nil {
			continue
		}
		if p, ok := errors.AsType[problem.Error](err); want || !ok || p.Status != http.StatusUnsupportedMediaType {
			t.Errorf("%q: got error %v; want success: %v, otherwise 415", contentType, err, want)
		}
	}
}

// contract 1.19
func TestReceiveLimitsTheBytesOfABody(t *testing.T) {
	for body, want := range map[string]bool{"": true, strings.Repeat("x", 20): true, strings.Repeat("x", 21): false} {
		raw, err := Receive(io.NopCloser(strings.NewReader(body)), 20)
		if want && err == nil && string(raw) == body {
			continue
		}
		if p, ok := errors.AsType[problem.Error](err); want || !ok || p.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("%d bytes end with %v; want them: %v, otherwise 413", len(body), err, want)
		}
	}
}

// A key that an earlier program has stored is that of the same body.
//
// contract 4.61, 4.64, 1.75
func TestFingerprintIsThatOfEarlierPrograms(t *testing.T) {
	v, err := decodeJSON([]byte(`{"name":"Süd","count":1.50,"paid":true,"due_date":null,"items":[{"id":7}]}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = "49ea338729ed5b6986ed33fc186ff4ff2e0218ad337c17998ce89abc308232d9"
	if got := fmt.Sprintf("%x", v.Fingerprint()); got != want {
		t.Errorf("the fingerprint is %s", got)
	}
}

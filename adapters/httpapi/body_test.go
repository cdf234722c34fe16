package httpapi

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/ports/membudget"
)

const asJSON = "application/json"

func TestARecordIsReadAsItWasSent(t *testing.T) {
	one := node{kind: number, text: "1"}
	for name, c := range map[string]struct {
		body string
		want map[string]node
	}{
		"contract 2.35, nothing in it": {` {} `, map[string]node{}},
		"every kind of value": {
			`{"text":"ä\n\u00e4","number":-1.50e3,"yes":true,"no":false,"nothing":null,"list":[1,"a"],"record":{"a":1}}`,
			map[string]node{
				"text":    {kind: scalar, text: "ä\nä"},
				"number":  {kind: number, text: "-1.50e3"},
				"yes":     {kind: truth, text: "true"},
				"no":      {kind: truth, text: "false"},
				"nothing": {kind: null},
				"list":    {kind: list, items: []node{one, {kind: scalar, text: "a"}}},
				"record":  {kind: record, fields: map[string]node{"a": one}},
			},
		},
		"a number of any length":                 {`{"a":123456789012345678901234567890.123456789}`, map[string]node{"a": {kind: number, text: "123456789012345678901234567890.123456789"}}},
		"the last of two values":                 {`{"a":2,"a":1}`, map[string]node{"a": one}},
		"contract 2.27, the root of an answer":   {`{"response":{"a":1}}`, map[string]node{"a": one}},
		"contract 2.27, once":                    {`{"response":{"response":{"a":1}}}`, map[string]node{"response": {kind: record, fields: map[string]node{"a": one}}}},
		"contract 2.27, only if it stands alone": {`{"response":{"a":1},"a":1}`, map[string]node{"a": one, "response": {kind: record, fields: map[string]node{"a": one}}}},
		"contract 2.27, only if it is a record":  {`{"response":1}`, map[string]node{"response": one}},
		"a pair of surrogates":                   {`{"a":"\ud83d\uDE00"}`, map[string]node{"a": {kind: scalar, text: "😀"}}},
		"a backslash before what looks like one": {`{"a":"\\ud83d\\\\ud83d"}`, map[string]node{"a": {kind: scalar, text: `\ud83d\\ud83d`}}},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := decodeBody(asJSON, []byte(c.body), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(node{kind: record, fields: c.want}, n, cmp.AllowUnexported(node{})); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// contract 2.36, 3.8
func TestABodyThatIsNoRecordIsMalformed(t *testing.T) {
	for _, body := range []string{
		"[]", "[{}]", "1", `"a"`, "null", "true", // not a record
		"", " ", "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":[1`, // ends too early
		"{}{}", "{} x", "{},", `{"a":1}}`, // goes on
		`{"a" 1}`, `{"a":1 "b":2}`, `{"a":1,}`, `{,}`, `{a:1}`, `{'a':1}`, `{"a":01}`, `{"a":+1}`, `{"a":.5}`, `{"a":NaN}`, `{"a":[1,]}`, `{"a":[1}`,
		"{\"a\":\"\n\"}", `{"a":"\x41"}`, `{"a":"\ud83`, "\xef\xbb\xbf{}", "a=1", "<a/>", "{\xff}",
	} {
		if _, err := decodeBody(asJSON, []byte(body), nil); !fault.Is(err, fault.Malformed) {
			t.Errorf("%q ended with %v, want a refusal: %s", body, err, fault.Malformed)
		}
	}
}

// contract 2.39
func TestValuesStandOnlySoDeepInOneAnother(t *testing.T) {
	nested := func(depth int, open, inner, end string) []byte {
		return []byte(strings.Repeat(open, depth) + inner + strings.Repeat(end, depth))
	}
	for _, c := range []struct{ open, inner, end string }{{`{"a":`, "1", "}"}, {"[", "", "]"}} {
		if _, err := decodeJSON(nested(maxDepth, c.open, c.inner, c.end), nil); err != nil {
			t.Errorf("%d times %s: %v", maxDepth, c.open, err)
		}
		for _, depth := range []int{maxDepth + 1, 1_000_000} {
			if _, err := decodeJSON(nested(depth, c.open, c.inner, c.end), nil); !fault.Is(err, fault.Malformed) {
				t.Errorf("%d times %s ended with %v, want a refusal: %s", depth, c.open, err, fault.Malformed)
			}
		}
	}
}

// contract 2.21, 4.68
func TestWhatIsNoTextIsTheFaultOfItsField(t *testing.T) {
	for name, body := range map[string]string{
		"bytes that are no UTF-8":      "{\"a\":\"x\xff\xfey\",\"b\":\"good\"}",
		"a surrogate as bytes":         "{\"a\":\"\xed\xa0\x80\",\"b\":\"good\"}",
		"the first half of a pair":     `{"a":"\ud83d","b":"good"}`,
		"the second half of a pair":    `{"a":"\udE00","b":"good"}`,
		"the halves in wrong order":    `{"a":"\ude00\ud83d","b":"good"}`,
		"a half before another escape": `{"a":"\ud83d\n","b":"good"}`,
		"a half before a whole pair":   `{"a":"\ud83d\ud83d\ude00","b":"good"}`,
		"NUL":                          `{"a":"\u0000","b":"good"}`,
	} {
		t.Run(name, func(t *testing.T) {
			n, err := decodeBody(asJSON, []byte(body), nil)
			if err != nil {
				t.Fatal(err)
			}
			if text.Illegal(n.fields["a"].text) == "" {
				t.Errorf("%q passes for a text", n.fields["a"].text)
			}
			if got := n.fields["b"].text; got != "good" {
				t.Errorf("the field beside it is %q", got)
			}
		})
	}
}

// contract 2.28
func TestOnlyKnownContentTypesAreRead(t *testing.T) {
	for contentType, want := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "Application/JSON": true,
		"": false, "text/plain": false, "application/jsonp": false, "application/problem+json": false, "json": false, ";": false,
	} {
		_, err := decodeBody(contentType, []byte("{}"), nil)
		if want && err == nil {
			continue
		}
		if refusal, ok := errors.AsType[refusal](err); want || !ok || refusal.status != http.StatusUnsupportedMediaType {
			t.Errorf("%q ended with %v; want it to be read: %v, otherwise 415", contentType, err, want)
		}
	}
}

// contract 1.26, 2.29, 2.35
func TestABodyIsReadUpToItsLimit(t *testing.T) {
	api := &API{config: Config{MaxBody: 20}, crowd: crowd{most: 1}}
	read := func(body string) (node, error) {
		r, err := http.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", asJSON)
		c := &call{api: api, http: r, share: api.room.Share()}
		defer c.done()
		return api.readBody(c)
	}
	exact := `{"a":"` + strings.Repeat("x", 20-len(`{"a":""}`)) + `"}`
	if n, err := read(exact); err != nil || len(n.fields) != 1 {
		t.Errorf("%d bytes: %v", len(exact), err)
	}
	_, err := read(exact + " ")
	if refusal, ok := errors.AsType[refusal](err); !ok || refusal.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a byte more ended with %v, want 413", err)
	}
	if n, err := read(""); err != nil || n.kind != record || len(n.fields) != 0 {
		t.Errorf("an empty body is %+v, %v; want an empty record", n, err)
	}
}

// contract 3.33: a body is larger when it is taken apart.
func TestALargeBodyTakesRoomUntilItsRequestIsDone(t *testing.T) {
	const many = 1000
	for name, c := range map[string]struct {
		contentType, body string
		values, records   int
	}{
		"a long text": {asJSON, `{"a":"` + strings.Repeat("x", 100_000) + `"}`, 2, 1},
		"JSON":        {asJSON, `{"items":[` + strings.Repeat(`{"a":1},`, many-1) + `{"a":1}]}`, 2 + 2*many, 1 + many},
		"XML":         {"application/xml", "<r><items>" + strings.Repeat("<item><a>1</a></item>", many) + "</items></r>", 2 + 2*many, 1 + many},
		"a form":      {formType, strings.Repeat("items[0][a]=1&", many) + "items[1][a]=1", 3 + many + 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			api := &API{config: Config{MaxBody: 1 << 20}}
			r, err := http.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", c.contentType)
			of := &call{api: api, http: r, share: api.room.Share()}
			if _, err := api.readBody(of); err != nil {
				t.Fatal(err)
			}
			if got, want := api.room.Held(), int64(len(c.body)+valueSize*c.values+recordSize*c.records-membudget.Free); got != want {
				t.Errorf("of a body of %d bytes %d are counted, want %d", len(c.body), got, want)
			}
			of.done()
			if got := api.room.Held(); got != 0 {
				t.Errorf("%d are counted behind the request", got)
			}
		})
	}
}

// contract 3.33
func TestABodyThatTakesTooMuchByItselfIsNeverTaken(t *testing.T) {
	var all membudget.Room
	mine := all.Share()
	chain := strings.Repeat(`{"a":`, 30) + "1" + strings.Repeat("}", 30)
	_, err := decodeBody(asJSON, []byte(`{"items":[`+strings.Repeat(chain+",", 3000)+"1]}"), &mine)
	if !fault.Is(err, fault.Malformed) {
		t.Errorf("it ends with %v", err)
	}
}

// contract 3.33
func TestABodyThatBecomesTooLargeIsRefusedAsItIsTakenApart(t *testing.T) {
	var all membudget.Room
	for contentType, body := range map[string]string{
		asJSON: `{"items":[` + strings.Repeat(`{"a":1},`, 49_000) + `{}]}`, "application/xml": "<r>" + strings.Repeat("<item><a/></item>", 49_000) + "</r>",
		formType: strings.Repeat("items[0][a]=1&", 70_000),
	} {
		taken, mine := all.Share(), all.Share()
		if err := taken.Take(membudget.Most); err != nil {
			t.Fatal(err)
		}
		if _, err := decodeBody(contentType, []byte(body), &mine); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s ends with %v", contentType, err)
		}
		mine.Keep(0)
		taken.Keep(0)
	}
}

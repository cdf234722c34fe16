package body

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

var someJSON = []string{
	"", "{}", "[]", "null", `{"a":1}`, `{"a":{"b":[1,"2",true,null,{}]}}`, `{"a":1,"b":{"a":[[],[{}]]},"a":2}`, `{"a":1}{"b":2}`, `{"a":1,}`, `{"a" 1}`, `{"a":-0.0e+5,"b":1e400}`, `{"a":01}`, `{"":""}`,
	`{"a":"\ud800"}`, `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d\ud83d\ude00\\ud83d"}`, "{\"a\":\"\xff\xfe\"}", `{"a":"\`, `{"a":"\u12`, "{\"a\":\"\u2028\ufffd\uffff\"}", "{\"a\":\"\n\"}", " \t\r\n{ \"a\" : [ ] } ", "\ufeff{}",
	strings.Repeat(`{"a":[`, 16) + strings.Repeat("]}", 16), strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33),
}

// contract 2.23, 2.35, 2.39
func FuzzDecodeJSON(f *testing.F) {
	fuzzseed.Texts(f, someJSON...)
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := decodeJSON([]byte(raw))
		var want any
		d := json.NewDecoder(strings.NewReader(raw))
		d.UseNumber()
		alsoErr := d.Decode(&want)
		if alsoErr == nil && len(bytes.TrimLeft([]byte(raw)[d.InputOffset():], " \t\r\n")) > 0 {
			alsoErr = errors.New("something follows")
		}
		rejects := alsoErr != nil || nodeOf(want).depth() > maxDepth
		if rejects != (err != nil) {
			t.Fatalf("%q is decoded with %v, but encoding/json returns %v", raw, err, alsoErr)
		}
		if rejects {
			if !fault.Is(err, fault.Malformed) {
				t.Errorf("%q is rejected with %v", raw, err)
			}
			return
		}
		if strings.ContainsAny(raw, "\ufffd\uffff") || !utf8.ValidString(raw) || hasLoneSurrogate(want) {
			return // invalid text is marked differently
		}
		nodeOf(want).equals(t, raw, got)
		rewritten, err := json.MarshalIndent(want, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := decodeJSON(rewritten); err != nil || again.Fingerprint() != got.Fingerprint() {
			t.Errorf("%q has another fingerprint when it is written as %q: %v", raw, rewritten, err)
		}
	})
}

// equals compares values. The diff is computed only if they differ, because it is slow for
// deeply nested values.
func (v Value) equals(t *testing.T, raw string, got Value) {
	t.Helper()
	if !reflect.DeepEqual(v, got) {
		t.Errorf("%q: -want +got\n%s", raw, cmp.Diff(v, got))
	}
}

// nodeOf converts a value of encoding/json.
func nodeOf(v any) Value {
	switch v := v.(type) {
	case string:
		return Value{Kind: String, Text: v}
	case json.Number:
		return Value{Kind: Number, Text: v.String()}
	case bool:
		return Value{Kind: Bool, Text: strconv.FormatBool(v)}
	case []any:
		n := Value{Kind: List}
		for _, item := range v {
			n.Items = append(n.Items, nodeOf(item))
		}
		return n
	case map[string]any:
		n := Value{Kind: Record, Fields: map[string]Value{}}
		for name, value := range v {
			n.Fields[name] = nodeOf(value)
		}
		return n
	}
	return Value{Kind: Null}
}

// hasLoneSurrogate reports whether a text contains the character by which encoding/json
// replaces half of a surrogate pair.
func hasLoneSurrogate(v any) bool {
	raw, err := json.Marshal(v)
	return err != nil || bytes.Contains(raw, []byte("\ufffd"))
}

func (v Value) depth() (depth int) {
	for _, inner := range slices.Concat(v.Items, slices.Collect(maps.Values(v.Fields))) {
		depth = max(depth, inner.depth())
	}
	if v.Kind == List || v.Kind == Record {
		depth++
	}
	return depth
}

// contract 4.64, 4.81
func FuzzFingerprint(f *testing.F) {
	var cases [][]any
	for i, raw := range someJSON {
		cases = append(cases, []any{raw, raw}, []any{raw, someJSON[len(someJSON)-1-i]})
	}
	fuzzseed.Add(f, append(cases, []any{`{"a":"1"}`, `{"a":1}`}, []any{`{"a":["b"],"c":[]}`, `{"a":[],"c":["b"]}`}, []any{`{"ab":"c"}`, `{"a":"bc"}`})...)
	f.Fuzz(func(t *testing.T, one, other string) {
		a, err := Decode(asJSON, []byte(one))
		b, alsoErr := Decode(asJSON, []byte(other))
		if err != nil || alsoErr != nil {
			return
		}
		if same := reflect.DeepEqual(a, b); same != (a.Fingerprint() == b.Fingerprint()) {
			t.Errorf("%q and %q: equal is %v, unlike their fingerprints", one, other, same)
		}
	})
}

// contract 2.23, 2.35, 2.37, 2.39
func FuzzDecodeXML(f *testing.F) {
	fuzzseed.Texts(
		f, "", "<a/>", "<a><b>1</b><b>2</b></a>", "<a><item><b/></item></a>", "<a>x<item>1</item></a>", "<r><items><item>1</item><item><c>2</c></item></items><d> </d></r>", "<a><!-- --><![CDATA[x]]></a>", "<a x=\"1\" y='2'><?p?></a>",
		`<?xml version="1.0" encoding="utf-8"?><a><b>&lt;&#228;&amp;&#13;</b></a>`, "<!DOCTYPE a><a/>", "<a>&#0;</a>", "<a>&e;</a>", `<?xml version="1.0" encoding="latin1"?><a/>`, "<a><b>", "<a></b>", "<a/><a/>", " <a/> x", "<n:a xmlns:n='u'><n:b>1</n:b></n:a>",
		strings.Repeat("<a>", 32)+"x"+strings.Repeat("</a>", 32), strings.Repeat("<a>", 33)+strings.Repeat("</a>", 33), "<a><b><item/></b><b/></a>", "<a>\xff</a>", "<a>&#xD800;</a>", "<a b='&#56838;'/>", "<a><!--&#xDFFF;--><![CDATA[&#xd800;]]></a>", "<a>&#x0d7ff;&#57344;&#65533;</a>",
	)
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := decodeXML([]byte(raw))
		if err != nil {
			if !fault.Is(err, fault.Malformed) {
				t.Errorf("%q is rejected with %v", raw, err)
			}
			return
		}
		if strings.Contains(fmt.Sprintf("%#v", got), "\ufffd") && !strings.Contains(raw, "\ufffd") && !strings.Contains(strings.ToLower(raw), "fffd") && !strings.Contains(raw, "65533") {
			t.Errorf("%q is decoded with a replaced character", raw)
		}
		var root element
		if err := xml.Unmarshal([]byte(raw), &root); err != nil {
			t.Fatalf("%q is decoded, but encoding/xml returns %v", raw, err)
		}
		want := root.Value()
		if want.Kind == Blank {
			want = Value{Kind: Record}
		}
		want.equals(t, raw, got)
		if got.depth() > maxDepth || strings.Contains(raw, "<!DOCTYPE") && !strings.Contains(raw, "<![CDATA[") && !strings.Contains(raw, "<!--") && !strings.Contains(raw, "<?") {
			t.Errorf("%q is decoded", raw)
		}
	})
}

// element is an element as encoding/xml decodes it.
type element struct {
	XMLName xml.Name
	Text    string    `xml:",chardata"`
	Inner   []element `xml:",any"`
}

func (e element) Value() Value {
	if len(e.Inner) == 0 {
		return untyped(e.Text)
	}
	var n Value
	for _, inner := range e.Inner {
		if inner.XMLName.Local == "item" {
			n.Kind, n.Items = List, append(n.Items, inner.Value())
			continue
		}
		if n.Fields == nil {
			n.Kind, n.Fields = Record, map[string]Value{}
		}
		n.Fields[inner.XMLName.Local] = inner.Value()
	}
	return n
}

// contract 2.23, 2.35, 2.39
func FuzzDecodeForm(f *testing.F) {
	fuzzseed.Texts(f, "", "a=1&b=2", "a=1&a=2", "a=%ff", "%61=+%2B", "a=b=c", "a", "=", "&&", "items[0][name]=x&items[1][name]=y", "items[7]=b&items[2]=a", "a[b]=1&a=2", "a=2&a[b]=1", "a[01]=x&a[1]=y", "a[]=1", "[=", "a]=1", "a[b", "a[b]c=1", "%zz=1", "a;b=1",
		"a"+strings.Repeat("[b]", 31)+"=1", "a"+strings.Repeat("[b]", 32)+"=1")
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := decodeForm([]byte(raw))
		if err != nil {
			if !fault.Is(err, fault.Malformed) {
				t.Errorf("%q is rejected with %v", raw, err)
			}
			return
		}
		rewritten := url.Values{}
		got.pairs("", rewritten)
		again, err := decodeForm([]byte(rewritten.Encode()))
		if err != nil {
			t.Errorf("%q, written as %q: %v", raw, rewritten.Encode(), err)
		}
		got.equals(t, raw, again)
		values, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		for name, all := range values {
			if strings.ContainsAny(name, "[]") || slices.ContainsFunc(slices.Collect(maps.Keys(values)), func(other string) bool { return strings.HasPrefix(other, name+"[") }) {
				continue
			}
			if want := all[len(all)-1]; got.Fields[name].Text != want {
				t.Errorf("%q: %s is %q, want %q", raw, name, got.Fields[name].Text, want)
			}
		}
	})
}

// pairs are the texts in a record by their names in a form.
func (v Value) pairs(prefix string, into url.Values) {
	for i, item := range v.Items {
		item.pairs(prefix+"["+strconv.Itoa(i)+"]", into)
	}
	for name, value := range v.Fields {
		if prefix != "" {
			name = prefix + "[" + name + "]"
		}
		value.pairs(name, into)
	}
	if v.Kind == String || v.Kind == Blank {
		into.Set(prefix, v.Text)
	}
}

// contract 2.23, 2.35
func FuzzDecodeMultipart(f *testing.F) {
	fuzzseed.Add(f, []any{"name", "a", "b", int64(9)}, []any{"items[0][name]", "\r\n--cut", "", int64(100)}, []any{"a", "--cut--\r\n", "ä\x00", int64(150)}, []any{"b", "a", "\xff", int64(1 << 40)}, []any{"a\"\r\n", strings.Repeat("\r\n-", 2000), "x", int64(0)})
	f.Fuzz(func(t *testing.T, name, value, other string, cut int64) {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for _, err := range []error{w.SetBoundary("a-boundary-that-no-value-has"), w.WriteField(name, value), w.WriteField("last", other)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(value+other+name, "a-boundary-that-no-value-has") {
			return
		}
		open := b.Len()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := Decode(w.FormDataContentType(), b.Bytes())
		if err == nil && got.Fields["last"].Text != other {
			t.Errorf("%q is read as %q", other, got.Fields["last"].Text)
		}
		if isPlain := name != "" && name != "last" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""; isPlain && (err != nil || got.Fields[name].Text != value) {
			t.Errorf("%q is read as %q, %v", value, got.Fields[name].Text, err)
		}
		at := int(uint64(cut) % uint64(open+len("\r\n--a-boundary-that-no-value-has-")))
		if _, err := Decode(w.FormDataContentType(), b.Bytes()[:at]); !fault.Is(err, fault.Malformed) && at > 0 {
			t.Errorf("truncated to %d bytes of %d: %v", at, b.Len(), err)
		}
		// Other text is not a complete form.
		if _, err := decodeMultipart([]byte(value), "cut"); err == nil && !strings.Contains(value, "--cut--") {
			t.Errorf("%q is decoded", value)
		}
	})
}

// contract 2.23, 2.35
func FuzzDecode(f *testing.F) {
	var cases [][]any
	for _, body := range []string{
		"", "{}", "[]", `{"a":1}`, `{"response":{"a":"b"}}`, `{"a":{"b":[1,"2",true,null,{}]}}`, `{"a":1}{"b":2}`, `{"a":1,}`, `{"a" 1}`, `{"a":"\ud800"}`, `{"a":"\ud83d\ude00"}`, `{"a":1e400}`,
		"{\"a\":\"\xff\"}", `{"a":"\`, `{"a":"\u12`, strings.Repeat(`{"a":[`, 20),
		strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33), "<a/>", "<a><b>1</b><b>2</b></a>", "<a><item><b/></item></a>", "<a><!-- --><![CDATA[x]]></a>", "<!DOCTYPE a><a/>", "<a>&#0;</a>",
		`<?xml version="1.0" encoding="latin1"?><a/>`, "<a><b>", strings.Repeat("<a>", 34) + strings.Repeat("</a>", 34), "a=%ff", "a=1&b=2", "items[0][name]=x", "a[b]=1&a=2", "a[]=1", "[=", "%zz=1", "a" + strings.Repeat("[b]", 40) + "=1",
		"--cut\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--cut--\r\n", "--cut\r\nContent-Disposition: form-data; name=\"a\"; filename=\"b\"\r\n\r\n1\r\n--cut--\r\n", "--cut\r\n\r\n",
	} {
		for _, contentType := range []string{"application/json", "application/xml; charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=cut", "multipart/form-data", "text/plain"} {
			cases = append(cases, []any{contentType, []byte(body)})
		}
	}
	fuzzseed.Add(f, cases...)
	f.Fuzz(func(t *testing.T, contentType string, raw []byte) {
		sent := slices.Clone(raw)
		n, err := Decode(contentType, raw)
		if err != nil {
			if r, ok := errors.AsType[problem.Error](err); !fault.Is(err, fault.Malformed) && (!ok || r.Status != http.StatusUnsupportedMediaType) {
				t.Errorf("got error %v", err)
			}
			return
		}
		if n.Kind != Record {
			t.Errorf("not a record: %v", n)
		}
		if depth := n.checkTexts(t); depth > maxDepth {
			t.Errorf("the depth is %d", depth)
		}
		if strings.HasPrefix(contentType, asJSON) && !json.Valid(bytes.TrimPrefix(sent, byteOrderMark)) {
			t.Errorf("%q is decoded as JSON", sent)
		}
	})
}

// checkTexts checks that the texts of a value are valid, and returns its depth.
func (v Value) checkTexts(t *testing.T) (depth int) {
	t.Helper()
	if strings.Contains(v.Text, invalid) && !utf8.ValidString(v.Text) {
		t.Errorf("%q has the mark of what is not UTF-8", v.Text)
	}
	for _, inner := range slices.Concat(v.Items, slices.Collect(maps.Values(v.Fields))) {
		depth = max(depth, inner.checkTexts(t))
	}
	if v.Kind == List || v.Kind == Record {
		depth++
	}
	return depth
}

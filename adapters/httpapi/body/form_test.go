package body

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/fault"
)

const formType = "application/x-www-form-urlencoded"

// one is a record of texts.
func one(pairs ...string) Value {
	n := Value{Kind: Record, Fields: map[string]Value{}}
	for i := 0; i < len(pairs); i += 2 {
		n.Fields[pairs[i]] = untyped(pairs[i+1])
	}
	return n
}

func several(items ...Value) Value { return Value{Kind: List, Items: items} }

func (v Value) and(name string, value Value) Value {
	v.Fields[name] = value
	return v
}

// contract 2.23
func TestDecodeFormBuildsListsFromBrackets(t *testing.T) {
	for body, want := range map[string]Value{
		"":                      one(),
		"name=a+b%26c&type=1&&": one("name", "a b&c", "type", "1"),
		"name=a&name=b":         one("name", "b"),
		"name":                  one("name", ""),
		"user[id]=4":            one().and("user", one("id", "4")),
		"items[0][name]=x":      one().and("items", several(one("name", "x"))),
		"items%5B1%5D%5Bname%5D=y&items[0][name]=x&items[1][count]=2": one().and("items", several(one("name", "x"), one("name", "y", "count", "2"))),
		"items[10][name]=b&items[9][name]=a":                          one().and("items", several(one("name", "a"), one("name", "b"))),
		"items[0]=x":                                                  one().and("items", several(Value{Kind: String, Text: "x"})),
		"a[01]=x":                                                     one().and("a", one("01", "x")),
		"name=%FF":                                                    one("name", "\xFF"),
	} {
		got, err := Decode(formType, []byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", body, diff)
		}
	}
}

// contract 2.35
func TestDecodeFormRejectsInvalidForms(t *testing.T) {
	for _, body := range []string{"name=%zz", "%zz=1", "=x", "items[]=1", "items[0=1", "items[0]x=1", "items]=1", "a" + strings.Repeat("[b]", 40) + "=1"} {
		if _, err := Decode(formType, []byte(body)); !fault.Is(err, fault.Malformed) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

const multipartType = "multipart/form-data; boundary=cut"

func parts(parts ...string) []byte {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("--cut\r\n" + p + "\r\n")
	}
	b.WriteString("--cut--\r\n")
	return []byte(b.String())
}

// contract 2.23
func TestDecodeMultipartAcceptsFieldsOnly(t *testing.T) {
	const name = "Content-Disposition: form-data; name="
	got, err := Decode(multipartType, parts(name+"\"name\"\r\n\r\na\r\nb", name+"\"items[0][name]\"\r\n\r\nx"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(one("name", "a\r\nb").and("items", several(one("name", "x"))), got); diff != "" {
		t.Error(diff)
	}
	for what, raw := range map[string][]byte{
		"a file":           parts(name + "\"logo\"; filename=\"x.png\"\r\n\r\nPNG"),
		"no name":          parts("Content-Disposition: form-data\r\n\r\nx"),
		"an end too early": []byte("--cut\r\n" + name + "\"a\"\r\n\r\nx"),
	} {
		if _, err := Decode(multipartType, raw); !fault.Is(err, fault.Malformed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Decode("multipart/form-data", parts()); !fault.Is(err, fault.Malformed) {
		t.Errorf("no boundary: %v", err)
	}
}

// contract 2.23
func TestDecodeXMLAcceptsAnyRootName(t *testing.T) {
	for body, want := range map[string]Value{
		`<response/>`: {Kind: Record},
		`<?xml version="1.0" encoding="UTF-8"?>` + "\n<client><name>a &amp; b&#13;\n</name><email/></client>\n": one("name", "a & b\r\n", "email", ""),
		`<r kind="x"><!-- note --><name>a<![CDATA[<b>]]></name></r>`:                                            one("name", "a<b>"),
		`<r><user><id>4</id></user><items><item><name>x</name></item><item><name>y</name></item></items></r>`: one().
			and("user", one("id", "4")).and("items", several(one("name", "x"), one("name", "y"))),
		`<k:r xmlns:k="urn:x"><k:name>a</k:name></k:r>`: one("name", "a"),
	} {
		got, err := Decode("application/xml; charset=utf-8", []byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", body, diff)
		}
	}
}

// contract 2.35, 2.37
func TestDecodeXMLRejectsAnythingButARecord(t *testing.T) {
	for _, body := range []string{
		"x", "<r>", "<r></s>", "<r/><r/>", "<r/>x", "<r>text</r>", "<r><item/></r>", "<r><a>x<b/></a></r>", "<r><a><item/><b/></a></r>",
		`<!DOCTYPE r><r/>`, `<!DOCTYPE r [<!ENTITY e "x">]><r><name>&e;</name></r>`, `<r><name>&e;</name></r>`,
		`<?xml version="1.0" encoding="ISO-8859-1"?><r/>`, "<r><name>\x00</name></r>",
		strings.Repeat("<a>", 40) + strings.Repeat("</a>", 40),
	} {
		if _, err := Decode("application/xml", []byte(body)); !fault.Is(err, fault.Malformed) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// contract 2.35, 2.37
func TestDecodeXMLRejectsReferencesToSurrogates(t *testing.T) {
	for body, want := range map[string]string{
		"<r><a>&#55357;&#56838; hi</a></r>":                   "",
		"<r><a>A&#xD83D;B</a></r>":                            "",
		"<r><a>&#x0000dfff;</a></r>":                          "",
		"<r b='&#xD800;'><a>x</a></r>":                        "",
		"<r><!-- &#xD800; --><?p &#xD800;?><a>x</a></r>":      "x",
		"<r><a><![CDATA[&#xD800;]]></a></r>":                  "&#xD800;",
		"<r><a>&#x1F600;&#xD7FF;&#57344;&amp;#xD800;</a></r>": "😀\ud7ff\ue000&#xD800;",
		"<r><a><![CDATA[ <!-- ]]>&#xD800;<!-- --></a></r>":    "",
	} {
		got, err := Decode("application/xml", []byte(body))
		if want == "" && fault.Is(err, fault.Malformed) && strings.Contains(err.Error(), "surrogate") {
			continue
		}
		if err != nil || want == "" || got.Fields["a"].Text != want {
			t.Errorf("%s: %q, %v; want %q", body, got.Fields["a"].Text, err, want)
		}
	}
}

func TestDecodeFormSaysThatAnotherTypeIsMeant(t *testing.T) {
	for body, want := range map[string]string{
		`{"name":"A","type":1}`: "application/json", "\n[1]": "application/json", "<client/>": "application/xml", "%7B=1": "", "a={}": "",
	} {
		_, err := Decode(formType, []byte(body))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", body, err)
			}
			continue
		}
		if !fault.Is(err, fault.Malformed) || !strings.Contains(err.Error(), "read as a form") || !strings.HasSuffix(err.Error(), "Content-Type: "+want) {
			t.Errorf("%s: got %v, want %s", body, err, want)
		}
	}
}

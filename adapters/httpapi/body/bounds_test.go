package body

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
)

const (
	mebibyte = 1 << 20
	// mostAllocated is the limit for the bytes that decoding 1 MiB allocates in total;
	// it never holds all of them at once.
	mostAllocated = 100_000_000

	aPart = "--cut\r\nContent-Disposition: form-data; name="
)

// repeated repeats the part up to 1 MiB.
func repeated(open string, part func(i int) string, end string) string {
	var b strings.Builder
	b.WriteString(open)
	for i := 0; ; i++ {
		p := part(i)
		if b.Len()+len(p)+len(end) > mebibyte {
			break
		}
		b.WriteString(p)
	}
	b.WriteString(end)
	return b.String()
}

// same is a constant part, numbered one with its index.
func same(part string) func(int) string { return func(int) string { return part } }

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

// contract 2.35, 2.37, 2.39
func TestDecodeOf1MiBAllocatesLessThan100MB(t *testing.T) {
	const accepted, rejected = true, false
	most := uint64(0)
	for _, c := range []struct {
		name, contentType, body string
		want                    bool
	}{
		{"lists in lists", asJSON, repeated("", same("["), ""), rejected},
		{"records in records", asJSON, repeated("", same(`{"a":`), ""), rejected},
		{"numbers", asJSON, repeated(`{"a":[1`, same(",1"), "]}"), rejected},
		{"empty texts", asJSON, repeated(`{"a":[""`, same(`,""`), "]}"), rejected},
		{"empty records", asJSON, repeated(`{"items":[{}`, same(",{}"), "]}"), rejected},
		{"small records", asJSON, repeated(`{"items":[{}`, same(`,{"":1}`), "]}"), rejected},
		{"small trees", asJSON, repeated(`{"items":[{}`, same(`,[[[[1]]]]`), "]}"), rejected},
		{"different names", asJSON, repeated(`{"a":1`, numbered(`,"%x":1`), "}"), rejected},
		{"one name", asJSON, repeated(`{"a":1`, same(`,"a":1`), "}"), rejected},
		{"complete lines", asJSON, repeated(`{"items":[{}`, same(`,{"name":"Oak bed","units":"pcs","items_count":12.5,"item_price":"12.40","items_total_price":155}`), "]}"), accepted},
		{"a number of a million digits", asJSON, repeated(`{"a":0.`, same("0"), "1}"), accepted},
		{"halves of characters", asJSON, repeated(`{"a":"`, same(`\ud83d`), `"}`), accepted},
		{"bytes that are not UTF-8", asJSON, repeated(`{"a":"`, same("\xffa"), `"}`), accepted},
		{"empty elements", "application/xml", repeated("<x>", same("<a/>"), "</x>"), rejected},
		{"elements of a list", "application/xml", repeated("<x><a>", same("<item><a/></item>"), "</a></x>"), rejected},
		{"elements of different names", "application/xml", repeated("<x>", numbered("<a%x/>"), "</x>"), rejected},
		{"elements in elements", "application/xml", repeated("", same("<a>"), ""), rejected},
		{"attributes of different names", "application/xml", repeated("<x", numbered(` a%x=""`), "/>"), rejected},
		{"attributes of one name", "application/xml", repeated("<x", same(` a=""`), "/>"), rejected},
		{"namespaces", "application/xml", repeated("<x", numbered(` xmlns:a%x="u"`), "/>"), rejected},
		{"attributes of many elements", "application/xml", repeated("<x>", same("<a"+strings.Repeat(` a=""`, 30)+"/>"), "</x>"), accepted},
		{"nested namespaces", "application/xml", repeated("", numbered(`<a xmlns="%x">`), ""), rejected},
		{"comments in a text", "application/xml", repeated("<x><a>", same("a<!---->"), "</a></x>"), accepted},
		{"declared entities", "application/xml", repeated("<!DOCTYPE x [", numbered(`<!ENTITY a%x "&a;&a;">`), "]><x>&a1;</x>"), rejected},
		{"undeclared entities", "application/xml", repeated("<x><a>", same("&a;"), "</a></x>"), rejected},
		{"instructions", "application/xml", repeated("<x>", same("<?a?>"), "</x>"), accepted},
		{"pairs", formType, repeated("", same("a&"), ""), rejected},
		{"pairs of different names", formType, repeated("", numbered("%x&"), ""), rejected},
		{"a list in a form", formType, repeated("", numbered("a[%d][a]&"), ""), rejected},
		{"deep lists in a form", formType, repeated("", numbered("a[%d]"+strings.Repeat("[a]", 30)+"&"), ""), rejected},
		{"a deeply nested name", formType, repeated("a", same("[a]"), "=1"), rejected},
		{"parts", multipartType, repeated("", numbered(aPart+"%x\r\n\r\n\r\n"), "--cut--"), accepted},
		{"headers of a part", multipartType, repeated("--cut\r\n", numbered("a%x:\r\n"), "Content-Disposition: form-data; name=a\r\n\r\n\r\n--cut--"), rejected},
		{"near-boundaries", multipartType, repeated(aPart+"a\r\n\r\n", same("\r\n--cux"), "\r\n--cut--"), accepted},
		{"lines before the first part", multipartType, repeated("", same("\r\n"), "--cut--"), accepted},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := []byte(c.body)
			if len(raw) < mebibyte-200 || len(raw) > mebibyte {
				t.Fatalf("the body has %d bytes", len(raw))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n, err := Decode(c.contentType, raw)
			n.Fingerprint()
			runtime.ReadMemStats(&after)
			if (err == nil) != c.want || err != nil && !fault.Is(err, fault.Malformed) {
				t.Errorf("got error %v, want success: %v", err, c.want)
			}
			if err != nil && len(err.Error()) > 1000 {
				t.Errorf("the error message has %d bytes", len(err.Error()))
			}
			allocated := after.TotalAlloc - before.TotalAlloc
			if most = max(most, allocated); allocated > mostAllocated {
				t.Errorf("%d bytes allocated, want at most %d", allocated, mostAllocated)
			}
		})
	}
	t.Logf("bytes allocated for a body of 1 MiB, at most: %d", most)
}

// contract 2.39
func TestDecodeLimitsValues(t *testing.T) {
	few := func(part string) func(n int) string {
		return func(n int) string { return strings.Repeat(part, n) }
	}
	for contentType, write := range map[string]func(n int) string{
		asJSON:            func(n int) string { return `{"a":[` + strings.TrimSuffix(few("1,")(n-2), ",") + "]}" },
		"application/xml": func(n int) string { return "<r><a>" + few("<item/>")(n-2) + "</a></r>" },
		formType:          func(n int) string { return "b[0][c]=1&" + few("a&")(n-4) },
		multipartType:     func(n int) string { return few(aPart+"a\r\n\r\n\r\n")(n-1) + "--cut--" },
	} {
		if _, err := Decode(contentType, []byte(write(maxValues))); err != nil {
			t.Errorf("%s with %d values: %v", contentType, maxValues, err)
		}
		_, err := Decode(contentType, []byte(write(maxValues+1)))
		if !fault.Is(err, fault.Malformed) || !strings.Contains(err.Error(), "100000 values") {
			t.Errorf("%s with one more value: %v", contentType, err)
		}
	}
}

// contract 2.39
func TestDecodeLimitsXMLAttributes(t *testing.T) {
	for attribute, others := range map[string]string{
		`a=""`:         "",
		` a='"' `:      "<!-- < = = = -->",
		` xmlns:b="u"`: "<![CDATA[ <b \" ]]>", // whose quote stays open
		` a="=&lt;=>"`: strings.Repeat("=", mebibyte/2),
		"\n\ta = '>'":  "<?p a='" + strings.Repeat("=", 1000) + "?>",
	} {
		with := func(n int) []byte {
			return []byte("<r><name>" + others + "</name><b " + strings.Repeat(attribute, n) + "/></r>")
		}
		if _, err := Decode("application/xml", with(maxXMLAttributes)); err != nil {
			t.Errorf("%d times %s: %v", maxXMLAttributes, attribute, err)
		}
		if _, err := Decode("application/xml", with(maxXMLAttributes+1)); !fault.Is(err, fault.Malformed) || !strings.Contains(err.Error(), "100 XML attributes") {
			t.Errorf("once more %s: %v", attribute, err)
		}
	}
}

// The decoder would hold 48 bytes for 4 of the body.
//
// contract 2.39
func TestDecodeOfManyXMLAttributesAllocatesLittle(t *testing.T) {
	raw := []byte(repeated("<r", same(` a=""`), "/>"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Decode("application/xml", raw)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; err == nil || allocated > 100_000 {
		t.Errorf("%v, after %d bytes were allocated", err, allocated)
	}
}

// contract 2.35
func TestDecodeErrorsQuoteOnlyTheBeginning(t *testing.T) {
	long := strings.Repeat("ä", 1000)
	for contentType, body := range map[string]string{
		formType:          "a[" + long + "=1",
		multipartType:     aPart + "\"a[" + long + "\"\r\n\r\n1\r\n--cut--",
		"application/xml": "<" + long + "></a>",
	} {
		if _, err := Decode(contentType, []byte(body)); !fault.Is(err, fault.Malformed) || len(err.Error()) > 400 || !strings.Contains(err.Error(), "ä…") {
			t.Errorf("%s: %v", contentType, err)
		}
	}
}

// contract 2.23, 2.35
func TestDecodeMultipartRejectsTruncatedBodies(t *testing.T) {
	whole := aPart + "a\r\n\r\n1\r\n" + aPart + "b\r\n\r\n2\r\n--cut--\r\n"
	complete := len(whole) - len("\r\n")
	for at := 1; at < len(whole); at++ {
		if _, err := Decode(multipartType, []byte(whole[:at])); (err == nil) != (at >= complete) {
			t.Errorf("%q: %v", whole[:at], err)
		}
	}
}

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
	// mostAllocated is what reading a body of 1 MiB may allocate, all together: at
	// no time does it hold as much.
	mostAllocated = 100_000_000

	aPart = "--cut\r\nContent-Disposition: form-data; name="
)

// repeated is as many parts as fit into 1 MiB.
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

// same is a part that does not depend on where it stands, numbered one that does.
func same(part string) func(int) string { return func(int) string { return part } }

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

// contract 2.36, 2.37, 2.39, 2.40
func TestDecodeOf1MiBAllocatesLessThan100MB(t *testing.T) {
	const taken, refused = true, false
	most := uint64(0)
	for _, c := range []struct {
		name, contentType, body string
		want                    bool
	}{
		{"lists in lists", asJSON, repeated("", same("["), ""), refused},
		{"records in records", asJSON, repeated("", same(`{"a":`), ""), refused},
		{"numbers", asJSON, repeated(`{"a":[1`, same(",1"), "]}"), refused},
		{"empty texts", asJSON, repeated(`{"a":[""`, same(`,""`), "]}"), refused},
		{"empty records", asJSON, repeated(`{"items":[{}`, same(",{}"), "]}"), refused},
		{"small records", asJSON, repeated(`{"items":[{}`, same(`,{"":1}`), "]}"), refused},
		{"small trees", asJSON, repeated(`{"items":[{}`, same(`,[[[[1]]]]`), "]}"), refused},
		{"different names", asJSON, repeated(`{"a":1`, numbered(`,"%x":1`), "}"), refused},
		{"one name", asJSON, repeated(`{"a":1`, same(`,"a":1`), "}"), refused},
		{"lines that are whole", asJSON, repeated(`{"items":[{}`, same(`,{"name":"Oak bed","units":"pcs","items_count":12.5,"item_price":"12.40","items_total_price":155}`), "]}"), taken},
		{"a number of a million digits", asJSON, repeated(`{"a":0.`, same("0"), "1}"), taken},
		{"halves of characters", asJSON, repeated(`{"a":"`, same(`\ud83d`), `"}`), taken},
		{"octets that are no text", asJSON, repeated(`{"a":"`, same("\xffa"), `"}`), taken},
		{"empty elements", "application/xml", repeated("<x>", same("<a/>"), "</x>"), refused},
		{"elements of a list", "application/xml", repeated("<x><a>", same("<item><a/></item>"), "</a></x>"), refused},
		{"elements of different names", "application/xml", repeated("<x>", numbered("<a%x/>"), "</x>"), refused},
		{"elements in elements", "application/xml", repeated("", same("<a>"), ""), refused},
		{"attributes of different names", "application/xml", repeated("<x", numbered(` a%x=""`), "/>"), taken},
		{"attributes of one name", "application/xml", repeated("<x", same(` a=""`), "/>"), taken},
		{"namespaces", "application/xml", repeated("<x", numbered(` xmlns:a%x="u"`), "/>"), taken},
		{"namespaces in one another", "application/xml", repeated("", numbered(`<a xmlns="%x">`), ""), refused},
		{"comments in a text", "application/xml", repeated("<x><a>", same("a<!---->"), "</a></x>"), taken},
		{"entities that are declared", "application/xml", repeated("<!DOCTYPE x [", numbered(`<!ENTITY a%x "&a;&a;">`), "]><x>&a1;</x>"), refused},
		{"entities that are not", "application/xml", repeated("<x><a>", same("&a;"), "</a></x>"), refused},
		{"instructions", "application/xml", repeated("<x>", same("<?a?>"), "</x>"), taken},
		{"pairs", formType, repeated("", same("a&"), ""), refused},
		{"pairs of different names", formType, repeated("", numbered("%x&"), ""), refused},
		{"a list in a form", formType, repeated("", numbered("a[%d][a]&"), ""), refused},
		{"deep lists in a form", formType, repeated("", numbered("a[%d]"+strings.Repeat("[a]", 30)+"&"), ""), refused},
		{"a name that goes deep", formType, repeated("a", same("[a]"), "=1"), refused},
		{"parts", multipartType, repeated("", numbered(aPart+"%x\r\n\r\n\r\n"), "--cut--"), taken},
		{"headers of a part", multipartType, repeated("--cut\r\n", numbered("a%x:\r\n"), "Content-Disposition: form-data; name=a\r\n\r\n\r\n--cut--"), refused},
		{"what is nearly a boundary", multipartType, repeated(aPart+"a\r\n\r\n", same("\r\n--cux"), "\r\n--cut--"), taken},
		{"lines before the first part", multipartType, repeated("", same("\r\n"), "--cut--"), taken},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := []byte(c.body)
			if len(raw) < mebibyte-200 || len(raw) > mebibyte {
				t.Fatalf("the body has %d bytes", len(raw))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n, err := Decode(c.contentType, raw, nil)
			n.Fingerprint()
			runtime.ReadMemStats(&after)
			if (err == nil) != c.want || err != nil && !fault.Is(err, fault.Malformed) {
				t.Errorf("it ended with %v, want it to be read: %v", err, c.want)
			}
			if err != nil && len(err.Error()) > 1000 {
				t.Errorf("the refusal has %d bytes", len(err.Error()))
			}
			allocated := after.TotalAlloc - before.TotalAlloc
			if most = max(most, allocated); allocated > mostAllocated {
				t.Errorf("it allocates %d bytes, want at most %d", allocated, mostAllocated)
			}
		})
	}
	t.Logf("bytes allocated for a body of 1 MiB, at most: %d", most)
}

// contract 2.40
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
		if _, err := Decode(contentType, []byte(write(maxValues)), nil); err != nil {
			t.Errorf("%s with %d values: %v", contentType, maxValues, err)
		}
		_, err := Decode(contentType, []byte(write(maxValues+1)), nil)
		if !fault.Is(err, fault.Malformed) || !strings.Contains(err.Error(), "100000 values") {
			t.Errorf("%s with a value more: %v", contentType, err)
		}
	}
}

// contract 2.36
func TestDecodeErrorsQuoteOnlyTheBeginning(t *testing.T) {
	long := strings.Repeat("ä", 1000)
	for contentType, body := range map[string]string{
		formType:          "a[" + long + "=1",
		multipartType:     aPart + "\"a[" + long + "\"\r\n\r\n1\r\n--cut--",
		"application/xml": "<" + long + "></a>",
	} {
		if _, err := Decode(contentType, []byte(body), nil); !fault.Is(err, fault.Malformed) || len(err.Error()) > 400 || !strings.Contains(err.Error(), "ä…") {
			t.Errorf("%s: %v", contentType, err)
		}
	}
}

// contract 2.25, 2.36
func TestDecodeMultipartRejectsTruncatedBodies(t *testing.T) {
	whole := aPart + "a\r\n\r\n1\r\n" + aPart + "b\r\n\r\n2\r\n--cut--\r\n"
	complete := len(whole) - len("\r\n")
	for at := 1; at < len(whole); at++ {
		if _, err := Decode(multipartType, []byte(whole[:at]), nil); (err == nil) != (at >= complete) {
			t.Errorf("%q: %v", whole[:at], err)
		}
	}
}

package httpapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
)

// asked is a GET of a target with headers, given as names and values by turns.
func newGet(target string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

var formatNames = map[format]string{jsonFormat: "JSON", xmlFormat: "XML"}

func TestFormatIsNegotiated(t *testing.T) {
	const refused = format(0)
	for _, c := range []struct {
		name      string
		target    string
		accept    string // "-" for none
		byDefault format
		want      format
	}{
		{"contract 2.7, without Accept", "/", "-", xmlFormat, xmlFormat},
		{"contract 2.7, anything", "/", "*/*", xmlFormat, xmlFormat},
		{"contract 2.7, anything", "/", "*/*;q=0.8", jsonFormat, jsonFormat},
		{"an empty Accept", "/", "", xmlFormat, xmlFormat},
		{"contract 2.5, JSON", "/", "application/json", xmlFormat, jsonFormat},
		{"contract 2.5, XML", "/", "application/xml", jsonFormat, xmlFormat},
		{"contract 2.5, XML by its other name", "/", "text/xml", jsonFormat, xmlFormat},
		{"in any case", "/", "Application/JSON", xmlFormat, jsonFormat},
		{"parameters are no matter", "/", "application/json; charset=utf-8", xmlFormat, jsonFormat},
		{"contract 2.5, the higher quality", "/", "application/json;q=0.5, application/xml;q=0.6", jsonFormat, xmlFormat},
		{"contract 2.5, wherever it stands", "/", "application/json;q=.6, application/xml;q=.5", xmlFormat, jsonFormat},
		{"of equals the first", "/", "application/xml, application/json", jsonFormat, xmlFormat},
		{"what is named before what is not", "/", "*/*, application/json", xmlFormat, jsonFormat},
		{"a browser", "/", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", jsonFormat, xmlFormat},
		{"any application", "/", "application/*", xmlFormat, xmlFormat},
		{"any text is XML", "/", "text/*", jsonFormat, xmlFormat},
		{"anything but XML", "/", "application/xml;q=0, */*", xmlFormat, jsonFormat},
		{"anything but JSON", "/", "application/json;q=0, */*;q=0.1", jsonFormat, xmlFormat},
		{"contract 2.6, nothing that is served", "/", "text/html", jsonFormat, refused},
		{"contract 2.6, nothing at all", "/", "*/*;q=0", jsonFormat, refused},
		{"contract 2.6, JSON of no quality", "/", "application/json;q=0", jsonFormat, refused},
		{"no number for a quality", "/", "application/json;q=NaN, application/xml;q=0.1", jsonFormat, xmlFormat},
		{"a quality out of range", "/", "application/json;q=7, application/xml;q=0.1", jsonFormat, xmlFormat},
		{"contract 2.3, the query comes first", "/?_format=json", "application/xml", xmlFormat, jsonFormat},
		{"contract 2.3, even where Accept matches nothing", "/?_format=xml", "text/html", jsonFormat, xmlFormat},
		{"contract 2.4, an empty _format is none", "/?_format=", "application/xml", jsonFormat, xmlFormat},
		{"contract 2.4, another format", "/?_format=yaml", "application/json", jsonFormat, refused},
		{"contract 2.4, letter by letter", "/?_format=JSON", "application/json", jsonFormat, refused},
		{"contract 3.28, the last one counts", "/?_format=yaml&_format=xml", "-", jsonFormat, xmlFormat},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newGet(c.target)
			if c.accept != "-" {
				r.Header.Set("Accept", c.accept)
			}
			got, err := negotiate(r, r.URL.Query(), c.byDefault)
			if c.want == refused {
				if p, ok := errors.AsType[problem.Error](err); !ok || p.Status != http.StatusNotAcceptable {
					t.Errorf("%q ended with %v, want 406", c.accept, err)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("%q gives %s, %v; want %s", c.accept, formatNames[got], err, formatNames[c.want])
			}
		})
	}
}

func TestFormatCombinesSeveralAcceptHeaders(t *testing.T) {
	r := newGet("/", "Accept", "application/json;q=0.1", "Accept", "text/xml")
	if got, err := negotiate(r, r.URL.Query(), jsonFormat); err != nil || got != xmlFormat {
		t.Errorf("they give %s, %v; want XML", formatNames[got], err)
	}
}

// contract 2.8
func TestFormatDefaultIsConfigured(t *testing.T) {
	for setting, want := range map[DefaultFormat]format{AlwaysJSON: jsonFormat, AlwaysXML: xmlFormat, Documented: xmlFormat} {
		if got := setting.or(xmlFormat); got != want {
			t.Errorf("%s gives %s, want %s", setting, formatNames[got], formatNames[want])
		}
	}
}

// contract 2.5
func TestNegotiationLimitsMediaRanges(t *testing.T) {
	others := strings.Repeat("a/b,", maxRanges-1)
	if got, err := accepted([]string{others + "application/xml"}, jsonFormat); got != xmlFormat || err != nil {
		t.Errorf("the last media range: %d, %v", got, err)
	}
	if _, err := accepted([]string{others + "a/b,application/xml"}, jsonFormat); err == nil {
		t.Error("one more media range is used")
	}
}

package httpapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
)

// newGet is a GET request with headers, given as alternating names and values.
func newGet(target string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

var formatNames = map[format]string{jsonFormat: "JSON", xmlFormat: "XML", csvFormat: "CSV"}

func TestFormatIsNegotiated(t *testing.T) {
	const rejected = format(0)
	for _, c := range []struct {
		name      string
		target    string
		accept    string // "-" for none
		byDefault format
		want      format
	}{
		{"contract 2.5, without Accept", "/", "-", xmlFormat, xmlFormat},
		{"contract 2.5, anything", "/", "*/*", xmlFormat, xmlFormat},
		{"contract 2.5, anything", "/", "*/*;q=0.8", jsonFormat, jsonFormat},
		{"an empty Accept", "/", "", xmlFormat, xmlFormat},
		{"contract 2.5, JSON", "/", "application/json", xmlFormat, jsonFormat},
		{"contract 2.5, XML", "/", "application/xml", jsonFormat, xmlFormat},
		{"contract 2.5, text/xml", "/", "text/xml", jsonFormat, xmlFormat},
		{"in any case", "/", "Application/JSON", xmlFormat, jsonFormat},
		{"parameters are ignored", "/", "application/json; charset=utf-8", xmlFormat, jsonFormat},
		{"contract 2.5, the higher quality", "/", "application/json;q=0.5, application/xml;q=0.6", jsonFormat, xmlFormat},
		{"contract 2.5, the higher quality in any order", "/", "application/json;q=.6, application/xml;q=.5", xmlFormat, jsonFormat},
		{"the first of equal qualities", "/", "application/xml, application/json", jsonFormat, xmlFormat},
		{"a specific range before a wildcard", "/", "*/*, application/json", xmlFormat, jsonFormat},
		{"a browser", "/", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", jsonFormat, xmlFormat},
		{"any application", "/", "application/*", xmlFormat, xmlFormat},
		{"any text is XML", "/", "text/*", jsonFormat, xmlFormat},
		{"all but XML", "/", "application/xml;q=0, */*", xmlFormat, jsonFormat},
		{"all but JSON", "/", "application/json;q=0, */*;q=0.1", jsonFormat, xmlFormat},
		{"contract 2.5, no supported type", "/", "text/html", jsonFormat, rejected},
		{"contract 2.5, nothing", "/", "*/*;q=0", jsonFormat, rejected},
		{"contract 2.5, JSON with quality 0", "/", "application/json;q=0", jsonFormat, rejected},
		{"an invalid quality", "/", "application/json;q=NaN, application/xml;q=0.1", jsonFormat, xmlFormat},
		{"a quality out of range", "/", "application/json;q=7, application/xml;q=0.1", jsonFormat, xmlFormat},
		{"contract 2.3, _format before Accept", "/?_format=json", "application/xml", xmlFormat, jsonFormat},
		{"contract 2.3, _format with an unsupported Accept", "/?_format=xml", "text/html", jsonFormat, xmlFormat},
		{"contract 2.3, an empty _format counts as absent", "/?_format=", "application/xml", jsonFormat, xmlFormat},
		{"contract 2.3, another format", "/?_format=yaml", "application/json", jsonFormat, rejected},
		{"contract 2.3, _format is case-sensitive", "/?_format=JSON", "application/json", jsonFormat, rejected},
		{"contract 2.52, CSV", "/", "text/csv", xmlFormat, csvFormat},
		{"contract 2.52, CSV before others", "/", "application/json;q=0.5, text/csv", xmlFormat, csvFormat},
		{"contract 2.52, CSV by _format", "/?_format=csv", "application/json", xmlFormat, csvFormat},
		{"anything before CSV", "/", "*/*, text/csv;q=0.5", jsonFormat, jsonFormat},
		{"contract 3.28, the last one counts", "/?_format=yaml&_format=xml", "-", jsonFormat, xmlFormat},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newGet(c.target)
			if c.accept != "-" {
				r.Header.Set("Accept", c.accept)
			}
			got, err := negotiate(r, r.URL.Query(), []format{c.byDefault, jsonFormat, xmlFormat, csvFormat})
			if c.want == rejected {
				if p, ok := errors.AsType[problem.Error](err); !ok || p.Status != http.StatusNotAcceptable {
					t.Errorf("%q: got error %v, want 406", c.accept, err)
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
	if got, err := negotiate(r, r.URL.Query(), []format{jsonFormat, xmlFormat}); err != nil || got != xmlFormat {
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
	if got, err := accepted([]string{others + "application/xml"}, []format{jsonFormat, xmlFormat}); got != xmlFormat || err != nil {
		t.Errorf("the last media range: %d, %v", got, err)
	}
	if _, err := accepted([]string{others + "a/b,application/xml"}, []format{jsonFormat, xmlFormat}); err == nil {
		t.Error("one more media range is used")
	}
}

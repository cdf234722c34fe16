package httpapi

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
)

// format is how an answer is written.
type format uint8

const (
	jsonFormat format = iota + 1
	xmlFormat
)

const (
	contentTypeJSON = "application/json; charset=utf-8"
	contentTypeXML  = "application/xml; charset=utf-8"
)

// DefaultFormat is the format of an answer to a request that asks for none.
type DefaultFormat string

// The default formats.
const (
	Documented DefaultFormat = "documented" // what the contract shows for each resource
	AlwaysJSON DefaultFormat = "json"
	AlwaysXML  DefaultFormat = "xml"
)

func (d DefaultFormat) or(documented format) format {
	switch d {
	case AlwaysJSON:
		return jsonFormat
	case AlwaysXML:
		return xmlFormat
	}
	return documented
}

// negotiate finds the format: _format in the query, else the Accept header,
// else the default. A format that is not served is a notAcceptable.
func negotiate(r *http.Request, query url.Values, byDefault format) (format, error) {
	if asked := lastOf(query, "_format"); asked != "" {
		switch asked {
		case "json":
			return jsonFormat, nil
		case "xml":
			return xmlFormat, nil
		}
		return jsonFormat, problem.Error{Status: http.StatusNotAcceptable, Detail: "_format must be json or xml"}
	}
	return accepted(r.Header.Values("Accept"), byDefault)
}

// lenientFormat is the format of an error that comes before negotiation.
func lenientFormat(r *http.Request, byDefault format) format {
	f, err := negotiate(r, r.URL.Query(), byDefault)
	if err != nil {
		return jsonFormat
	}
	return f
}

// offered are the media types that are served, the default's own first among
// equals.
var offered = map[string]format{
	"application/json": jsonFormat,
	"application/xml":  xmlFormat,
	"text/xml":         xmlFormat,
}

// accepted weighs the media ranges of Accept as RFC 9110 says: the most
// specific range that fits a type gives its quality. Where both formats are
// liked as much, the order of the header decides, and where it does not name
// them, the default.
func accepted(headers []string, byDefault format) (format, error) {
	if len(headers) == 1 {
		// What programs mostly send needs no weighing.
		if f, ok := offered[headers[0]]; ok {
			return f, nil
		}
	}
	ranges := parseAccept(headers)
	if len(ranges) == 0 {
		return byDefault, nil
	}
	best, bestQuality, bestPlace := format(0), 0.0, 0
	for _, f := range []format{byDefault, jsonFormat, xmlFormat} {
		quality, place := likes(ranges, f)
		if quality > bestQuality || quality == bestQuality && quality > 0 && place < bestPlace {
			best, bestQuality, bestPlace = f, quality, place
		}
	}
	if best == 0 {
		return jsonFormat, problem.Error{
			Status: http.StatusNotAcceptable,
			Detail: "Accept must allow application/json, application/xml or text/xml",
		}
	}
	return best, nil
}

// maxRanges is how many media ranges of Accept are looked at.
const maxRanges = 100

type mediaRange struct {
	name    string
	quality float64
}

func parseAccept(headers []string) []mediaRange {
	var ranges []mediaRange
	for place, entry := range strings.SplitN(strings.Join(headers, ","), ",", maxRanges+1) {
		if place == maxRanges {
			break
		}
		name, params, err := mime.ParseMediaType(strings.TrimSpace(entry))
		if err != nil {
			continue
		}
		quality := 1.0
		if q, ok := params["q"]; ok {
			if quality, err = strconv.ParseFloat(q, 64); err != nil || quality < 0 || quality > 1 {
				continue
			}
		}
		ranges = append(ranges, mediaRange{name, quality})
	}
	return ranges
}

// likes is the quality of the format and the place of the range that gives it.
// A range that names one of the format's types decides; else one with a
// wildcard for the subtype, else one for everything.
func likes(ranges []mediaRange, f format) (quality float64, place int) {
	for rank, specific := range []func(name string) string{
		func(name string) string { return name },
		func(name string) string { kind, _, _ := strings.Cut(name, "/"); return kind + "/*" },
		func(string) string { return "*/*" },
	} {
		found := false
		for name, served := range offered {
			i := slices.IndexFunc(ranges, func(r mediaRange) bool { return r.name == specific(name) })
			if served != f || i < 0 {
				continue
			}
			if q, p := ranges[i].quality, i+rank*len(ranges); !found || q > quality || q == quality && p < place {
				quality, place, found = q, p, true
			}
		}
		if found {
			return quality, place
		}
	}
	return 0, 0
}

// lastOf is the last value of a repeated query parameter; "" if there is none.
func lastOf(query url.Values, name string) string {
	values := query[name]
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

package httpapi

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
)

type format uint8

const (
	jsonFormat format = iota + 1
	xmlFormat
	csvFormat  // of a list or a report
	htmlFormat // of a list, a report or a record
)

const (
	contentTypeJSON = "application/json; charset=utf-8"
	contentTypeXML  = "application/xml; charset=utf-8"
	contentTypeCSV  = "text/csv; charset=utf-8; header=present"
)

// DefaultFormat is the format of a response to a request that names none.
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

// formats returns the formats in which the call can be answered, the default first.
func (c *call) formats() []format {
	formats := []format{c.defaultFormat(), jsonFormat, xmlFormat}
	switch {
	case c.route.verb == apidoc.List, c.route.isReport():
		formats = append(formats, csvFormat, htmlFormat)
	case c.route.verb == apidoc.Read && !c.route.hasFile():
		formats = append(formats, htmlFormat)
	}
	return formats
}

// negotiate returns the format of _format in the query, else of the Accept header, else
// the default. One that is not among the formats is a 406.
func negotiate(r *http.Request, query url.Values, formats []format) (format, error) {
	name := lastOf(query, "_format")
	if name == "" {
		return acceptedOf(r.Header, formats)
	}
	if f := formatsByName[name]; slices.Contains(formats, f) {
		return f, nil
	}
	detail := "_format must be json or xml"
	if name == "csv" {
		detail += ": only a list or a report can be CSV"
	}
	return jsonFormat, problem.Error{Status: http.StatusNotAcceptable, Detail: detail}
}

// mentionDocument adds to a 406 for a record where its document is, if it has one.
func (api *API) mentionDocument(c *call, err error) error {
	document, hasDocument := api.templates[c.route.path+"/document"]
	if refused, ok := errors.AsType[problem.Error](err); ok && hasDocument {
		refused.Detail += "; " + document + " is PDF, HTML or XML"
		return refused
	}
	return err
}

var formatsByName = map[string]format{"json": jsonFormat, "xml": xmlFormat, "csv": csvFormat, "html": htmlFormat}

// acceptedOf returns the format of the Accept header. A page is for browsers, and for those who accept nothing else
// that there is.
func acceptedOf(h http.Header, formats []format) (format, error) {
	hasPage := slices.Contains(formats, htmlFormat)
	if hasPage && isBrowser(h) {
		return htmlFormat, nil
	}
	f, err := accepted(h.Values("Accept"), formats)
	if err != nil && hasPage && readsHTML(h) {
		return htmlFormat, nil
	}
	return f, err
}

// lenientFormat returns the format of an error before negotiation; JSON if that fails.
func lenientFormat(r *http.Request, formats []format) format {
	f, err := negotiate(r, r.URL.Query(), formats)
	if err != nil {
		return jsonFormat
	}
	return f
}

var offered = map[string]format{
	"application/json": jsonFormat,
	"application/xml":  xmlFormat,
	"text/xml":         xmlFormat,
	"text/csv":         csvFormat,
}

// accepted evaluates Accept (RFC 9110): the most specific range that matches a media
// type sets its quality. If formats have the same quality, the order of the header
// decides, and then that of the formats, of which the first is the default.
func accepted(headers []string, formats []format) (format, error) {
	if len(headers) == 1 {
		// Most clients send just one media type.
		if f, ok := offered[headers[0]]; ok && slices.Contains(formats, f) {
			return f, nil
		}
	}
	ranges := parseAccept(headers)
	if len(ranges) == 0 {
		return formats[0], nil
	}
	best, bestQuality, bestPlace := format(0), 0.0, 0
	for _, f := range formats {
		quality, place := qualityOf(ranges, f)
		if quality > bestQuality || quality == bestQuality && quality > 0 && place < bestPlace {
			best, bestQuality, bestPlace = f, quality, place
		}
	}
	if best == 0 {
		return jsonFormat, problem.Error{
			Status: http.StatusNotAcceptable,
			Detail: "Accept must allow application/json, application/xml or text/xml, for a list also text/csv, for a read also text/html",
		}
	}
	return best, nil
}

// maxRanges is the maximum number of media ranges in Accept; others are ignored.
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

// qualityOf returns the quality of the format and the index of the range that sets it:
// a range with one of the format's media types, else one with a wildcard as subtype,
// else the one for all types.
func qualityOf(ranges []mediaRange, f format) (quality float64, place int) {
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

// lastOf returns the last value of a repeated query parameter; "" if there is none.
func lastOf(query url.Values, name string) string {
	values := query[name]
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

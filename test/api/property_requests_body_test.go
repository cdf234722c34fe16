package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// drawBody draws a body, mostly of the type that the header states: a record, a
// damaged record, or random bytes.
func drawBody(t *rapid.T, of writable, h http.Header) string {
	formats := []struct {
		contentType string
		write       func(branch) string
		deep        [3]string // the start of a level before a body, the text after the body, the end of a level
	}{
		{"application/json", branch.asJSON, [3]string{`{"items":[`, "", "]}"}},
		{"application/xml", branch.asXML, [3]string{"<items>", "", "</items>"}},
		{"application/x-www-form-urlencoded", branch.asForm, [3]string{"", "&a", "[b]"}},
		{"multipart/form-data; boundary=cut", branch.asMultipart, [3]string{"--cut\r\n", "", "--"}},
	}
	format := rapid.SampledFrom(formats).Draw(t, "format")
	h.Set("Content-Type", format.contentType)
	if rapid.IntRange(0, 14).Draw(t, "odd content type") == 14 {
		h.Set("Content-Type", headerSafe(drawText(t, "content type"), ""))
	}
	if rapid.IntRange(0, 14).Draw(t, "octets") == 14 {
		return string(rapid.SliceOfN(octet, 0, 60).Draw(t, "body"))
	}
	body := format.write(drawRecord(t, of, 0))
	switch at := rapid.IntRange(0, len(body)).Draw(t, "at"); rapid.IntRange(0, 14).Draw(t, "harm") {
	case 12:
		return body[:at]
	case 13:
		return body[:at] + string(rapid.SliceOfN(octet, 1, 4).Draw(t, "in between")) + body[at:]
	case 11:
		part := rapid.SampledFrom([]string{",[]", ",1", `,{"":1}`, `,"a":1`, "<a/>", "<item/>", "&a=1", "&items[0][name]=x", "\r\n--cut\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n", "\r\n"}).Draw(t, "part")
		return body[:at] + strings.Repeat(part, rapid.SampledFrom([]int{2, 300, 100_001}).Draw(t, "parts")%(1_000_000/len(part))) + body[at:]
	case 14:
		levels := rapid.SampledFrom([]int{1, 30, 31, 32, 5000}).Draw(t, "levels")
		return strings.Repeat(format.deep[0], levels) + body + format.deep[1] + strings.Repeat(format.deep[2], levels)
	}
	return body
}

// branch is a value of a body: a plain one, a list, or a record.
type branch struct {
	plain any // nil, a bool, a json.Number or a string
	list  []branch
	names []string // of a record; their values are the list
	kind  branchKind
}

type branchKind int

const (
	plainBranch branchKind = iota
	listBranch
	recordBranch
)

// drawRecord draws a record of attributes that the resource has, with values of any
// type. Mostly it has the required ones.
func drawRecord(t *rapid.T, of writable, depth int) branch {
	b := branch{kind: recordBranch}
	if rapid.IntRange(0, 3).Draw(t, "needs") < 3 {
		for _, name := range slices.Sorted(maps.Keys(of.needs)) {
			b.names, b.list = append(b.names, name), append(b.list, branch{plain: of.needs[name]})
		}
	}
	known := of.attributes
	if len(known) == 0 {
		known = attributes
	}
	for range rapid.IntRange(0, 5).Draw(t, "attributes") {
		name := rapid.SampledFrom(known).Draw(t, "attribute")
		if rapid.IntRange(0, 19).Draw(t, "other attribute") == 19 {
			name = drawText(t, "attribute name")
		}
		b.names = append(b.names, name)
		b.list = append(b.list, drawBranch(t, name, depth+1))
	}
	return b
}

func drawBranch(t *rapid.T, name string, depth int) branch {
	kind := rapid.IntRange(0, 11).Draw(t, name+" type")
	if name == "items" && kind < 9 {
		kind = 10
	}
	line := writable{needs: fields{"name": "x"}, attributes: append([]string{"id"}, writes["/rest/invoice-items"].attributes...)}
	switch {
	case kind >= 10 && depth < 4:
		b := branch{kind: listBranch}
		for range rapid.IntRange(0, 3).Draw(t, name+" length") {
			if kind == 10 {
				b.list = append(b.list, drawRecord(t, line, depth))
			} else {
				b.list = append(b.list, drawBranch(t, name, depth+1))
			}
		}
		return b
	case kind == 9 && depth < 4:
		return drawRecord(t, writable{}, depth)
	case kind == 8:
		return branch{plain: nil}
	case kind == 7:
		return branch{plain: rapid.Bool().Draw(t, name)}
	case kind >= 4:
		return branch{plain: json.Number(rapid.SampledFrom(numbers).Draw(t, name))}
	}
	if rapid.IntRange(0, 39).Draw(t, name+" long") == 39 {
		return branch{plain: strings.Repeat(rapid.SampledFrom([]string{"x", "%", "\u00e4", "@", "1"}).Draw(t, name), 65_536)}
	}
	return branch{plain: drawText(t, name)}
}

var numbers = []string{"1e999999999", "0." + strings.Repeat("0", 5000) + "1", "0", "1", "2", "3", "-1", "1.5", "1e400", "-0.0", "9223372036854775808", "1E5", "0.00000001"}

func (b branch) asJSON() string {
	var parts []string
	for i, inner := range b.list {
		if b.kind == recordBranch {
			parts = append(parts, quoted(b.names[i])+":"+inner.asJSON())
			continue
		}
		parts = append(parts, inner.asJSON())
	}
	switch b.kind {
	case recordBranch:
		return "{" + strings.Join(parts, ",") + "}"
	case listBranch:
		return "[" + strings.Join(parts, ",") + "]"
	}
	if s, ok := b.plain.(string); ok {
		return quoted(s)
	}
	return plainText(b.plain, "null")
}

// quoted returns the text as a JSON string, with its bytes unescaped where the grammar
// allows.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c < ' ' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\u%04x`, c)
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}

// plainText returns a plain value as text; none is the text for null.
func plainText(v any, none string) string {
	if v == nil {
		return none
	}
	return fmt.Sprint(v)
}

func (b branch) asXML() string { return b.inXML("record") }

func (b branch) inXML(name string) string {
	var inner strings.Builder
	for i, child := range b.list {
		if b.kind == recordBranch {
			inner.WriteString(child.inXML(b.names[i]))
			continue
		}
		inner.WriteString(child.inXML("item"))
	}
	if b.kind == plainBranch {
		inner.WriteString(strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(plainText(b.plain, "")))
	}
	return "<" + name + ">" + inner.String() + "</" + name + ">"
}

// pairs returns the plain values by their names in a form, such as items[0][name].
func (b branch) pairs(prefix string) [][2]string {
	if b.kind == plainBranch {
		return [][2]string{{prefix, plainText(b.plain, "")}}
	}
	var all [][2]string
	for i, inner := range b.list {
		name := fmt.Sprint(i)
		if b.kind == recordBranch {
			name = b.names[i]
		}
		if prefix != "" {
			name = prefix + "[" + name + "]"
		}
		all = append(all, inner.pairs(name)...)
	}
	return all
}

func (b branch) asForm() string {
	var parts []string
	for _, p := range b.pairs("") {
		parts = append(parts, url.QueryEscape(p[0])+"="+url.QueryEscape(p[1]))
	}
	return strings.Join(parts, "&")
}

func (b branch) asMultipart() string {
	var parts strings.Builder
	for _, p := range b.pairs("") {
		fmt.Fprintf(&parts, "--cut\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n", p[0], p[1])
	}
	return parts.String() + "--cut--\r\n"
}

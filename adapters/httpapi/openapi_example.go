package httpapi

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/encode"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// sample is one example of an answer, in both formats. The encoders of the
// service have written it.
type sample struct {
	name, summary string
	json          json.RawMessage
	xml           string
}

// samples are the examples of a success of the operation.
func (o operation) samples() []sample {
	switch o.verb {
	case removing:
		id, _ := o.lesson.notes.cell("id", 0)
		return []sample{encoded("removed", "The record is gone", []byte(`{"response":{"id":`+id+`}}`), []byte(xml.Header+"<response><id>"+id+"</id></response>"))}
	case creating:
		return []sample{o.sample("created", "The new record", readmodel.Asking{Record: true}, o.lesson.story.created)}
	case updating:
		return []sample{o.sample("changed", "The record as it is now", readmodel.Asking{Record: true}, o.lesson.story.changed)}
	}
	ask := readmodel.Asking{Record: o.verb == reading}
	all := []sample{o.sample("plain", "Without parameters", ask, nil)}
	if expansions := o.table.Expansions; len(expansions) > 0 {
		ask.Expand = optional.Some(strings.Join(expansions, ","))
		all = append(all, o.sample("expanded", "With expand="+strings.Join(expansions, ","), ask, nil))
	}
	return all
}

// sample is the answer to who asks for that shape; other has what the answer
// shows otherwise than the notes.
func (o operation) sample(name, summary string, ask readmodel.Asking, other map[string]string) sample {
	shape, err := o.table.Select(ask)
	if err != nil {
		panic(err) // it names what the table has
	}
	s := scene{of: o.table.Attributes, notes: o.lesson.notes, other: other}
	count := 1
	if o.verb == listing {
		count = o.lesson.notes.rows()
	}
	rows := s.rows(shape, count)
	var inJSON, inXML bytes.Buffer
	for _, e := range []encode.Encoder{encode.JSON(&inJSON), encode.XML(&inXML)} {
		if o.verb == listing {
			e.List(rows, shape)
		} else {
			e.Record(rows, shape)
		}
	}
	return encoded(name, summary, inJSON.Bytes(), inXML.Bytes())
}

func encoded(name, summary string, inJSON, inXML []byte) sample {
	return sample{name: name, summary: summary, json: inJSON, xml: indented(string(inXML))}
}

// scene is where the cells of an example come from.
type scene struct {
	of    []readmodel.Attribute
	notes notes
	other map[string]string
}

func (s scene) rows(shape *readmodel.Selection, count int) *readmodel.Rows {
	rows := readmodel.NewRows(len(shape.Paths))
	for row := range count {
		for i, path := range shape.Paths {
			if inner := shape.Lists[i]; inner != nil {
				rows.AppendList(s.inner(path, inner))
				continue
			}
			if cell, ok := s.cell(path, row); ok {
				rows.Append([]byte(cell))
			} else {
				rows.Append(nil)
			}
		}
	}
	return rows
}

// inner are the rows of a list inside the record.
func (s scene) inner(name string, shape *readmodel.Selection) *readmodel.Rows {
	a := attributeOf(s.of, name)
	notes := noted[a.As]
	return scene{of: a.Of, notes: notes}.rows(shape, notes.rows())
}

// cell looks for what the path holds: in this very answer, in this record, and
// in the record that stands at the path's first part.
func (s scene) cell(path string, row int) (string, bool) {
	if cell, ok := s.other[path]; ok {
		return cell, cell != ""
	}
	if _, ok := s.notes[path]; ok {
		return s.notes.cell(path, row)
	}
	head, rest, nested := strings.Cut(path, ".")
	if nested {
		a := attributeOf(s.of, head)
		return scene{of: a.Of, notes: noted[a.As]}.cell(rest, 0)
	}
	return "", false
}

// attributeOf is the one of that name that holds a record or records.
func attributeOf(attributes []readmodel.Attribute, name string) readmodel.Attribute {
	for _, a := range attributes {
		if a.Name == name && len(a.Of) > 0 {
			return a
		}
	}
	panic("no record stands at " + name)
}

// bodyInXML is the record that is sent, below a root of that name.
func bodyInXML(root string, body object) string {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	writeXML(&b, root, body)
	return indented(b.String())
}

func writeXML(b *bytes.Buffer, name string, value any) {
	if value == nil {
		b.WriteString("<" + name + "/>")
		return
	}
	b.WriteString("<" + name + ">")
	switch v := value.(type) {
	case object:
		for _, m := range v {
			writeXML(b, m.name, m.value)
		}
	case []object:
		for _, item := range v {
			writeXML(b, "item", item)
		}
	case bool:
		b.WriteString(map[bool]string{true: "1", false: "0"}[v])
	default:
		b.WriteString(xmlText.Replace(fmt.Sprint(v)))
	}
	b.WriteString("</" + name + ">")
}

var xmlText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// indented puts each element that holds others on lines of its own: the service
// writes none, as people seldom read what it sends.
func indented(document string) string {
	var b strings.Builder
	depth := 0
	for i, tag := range strings.SplitAfter(document, ">") {
		tag = strings.TrimPrefix(tag, "\n")
		isEnd := strings.HasPrefix(tag, "</")
		if isEnd {
			depth--
		}
		if strings.HasPrefix(tag, "<") && i > 0 {
			b.WriteString("\n" + strings.Repeat("  ", depth))
		}
		b.WriteString(tag)
		_, name, _ := strings.Cut(tag, "<")
		if !strings.HasPrefix(name, "?") && !strings.HasPrefix(name, "/") && !strings.HasSuffix(name, "/>") {
			depth++
		}
		if !isEnd && strings.HasPrefix(name, "/") {
			depth--
		}
	}
	return b.String()
}

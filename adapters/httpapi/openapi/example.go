package openapi

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/encode"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// sample is an example of a response in both formats, written by the encoders of the service.
type sample struct {
	name, summary string
	json          json.RawMessage
	xml           string
}

func (b *builder) samples(o apidoc.Operation) []sample {
	switch o.Verb {
	case apidoc.Delete:
		id, _ := o.Docs.Attributes.Cell("id", 0)
		return []sample{removed("The record is deleted", id)}
	case apidoc.DeleteAll:
		return []sample{removed("All "+plural(o.Table.Name)+" are deleted", o.Docs.Owner)}
	case apidoc.Create:
		return []sample{b.sample(o, "created", "The new record", query.Parameters{Record: true}, o.Docs.Created)}
	case apidoc.Try:
		return []sample{b.sample(o, "tried", "The trial, which is done", query.Parameters{Record: true}, o.Docs.Created)}
	case apidoc.TryStored:
		return []sample{b.sample(o, "tried", "The trial, which is done", query.Parameters{Record: true}, nil)}
	case apidoc.Update:
		return []sample{b.sample(o, "changed", "The changed record", query.Parameters{Record: true}, o.Docs.Changed)}
	}
	ask := query.Parameters{Record: o.Verb == apidoc.Read}
	all := []sample{b.sample(o, "plain", "Without parameters", ask, nil)}
	if len(o.Table.Expansions) > 0 {
		expand := strings.Join(o.Table.Expansions, ",")
		ask.Expand = optional.Some(expand)
		all = append(all, b.sample(o, "expanded", "With expand="+expand, ask, nil))
	}
	return all
}

func removed(summary, id string) sample {
	return encoded("removed", summary, []byte(`{"response":{"id":`+id+`}}`), []byte(xml.Header+"<response><id>"+id+"</id></response>"))
}

// sample returns a response with that selection; differing replaces cells of the sample
// records.
func (b *builder) sample(o apidoc.Operation, name, summary string, ask query.Parameters, differing map[string]string) sample {
	selection, err := query.Select(o.Table, ask)
	if err != nil {
		b.errs = append(b.errs, err)
		return sample{}
	}
	source := cells{builder: b, attributes: o.Table.Attributes, docs: o.Docs.Attributes, differing: differing}
	var inJSON, inXML bytes.Buffer
	for _, e := range []encode.Encoder{encode.JSON(&inJSON), encode.XML(&inXML)} {
		if o.Verb == apidoc.List {
			e.List(source.rows(selection, o.Docs.Attributes.Rows()), selection)
		} else {
			e.Record(source.rows(selection, 1), selection)
		}
	}
	return encoded(name, summary, inJSON.Bytes(), inXML.Bytes())
}

func encoded(name, summary string, inJSON, inXML []byte) sample {
	return sample{name: name, summary: summary, json: inJSON, xml: indented(string(inXML))}
}

type cells struct {
	*builder
	attributes []readmodel.Attribute
	docs       apidoc.Attributes
	differing  map[string]string
}

func (c cells) rows(selection *readmodel.Selection, count int) *readmodel.Rows {
	rows := readmodel.NewRows(len(selection.Paths))
	for row := range count {
		for i, path := range selection.Paths {
			if inner := selection.Lists[i]; inner != nil {
				embedded := c.embedded(path)
				count := embedded.docs.Rows()
				if c.docs[path].IsEmpty {
					count = 0
				}
				rows.AppendList(embedded.rows(inner, count))
				continue
			}
			if cell, ok := c.cell(path, row); ok {
				rows.Append([]byte(cell))
			} else {
				rows.Append(nil)
			}
		}
	}
	return rows
}

// cell returns the cell at a path: of this response, of the record, or of the embedded record
// at the first step of the path.
func (c cells) cell(path string, row int) (string, bool) {
	if cell, ok := c.differing[path]; ok {
		return cell, cell != ""
	}
	if _, ok := c.docs[path]; ok {
		return c.docs.Cell(path, row)
	}
	if head, rest, nested := strings.Cut(path, "."); nested {
		return c.embedded(head).cell(rest, 0)
	}
	return "", false
}

// embedded returns the cells of the record or records in the attribute of the name.
func (c cells) embedded(name string) cells {
	for _, a := range c.attributes {
		if a.Name == name && len(a.Of) > 0 {
			return cells{builder: c.builder, attributes: a.Of, docs: c.attributesOf(a.As)}
		}
	}
	return cells{builder: c.builder}
}

func bodyInXML(root string, body any) string {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	writeXML(&b, root, body)
	return indented(b.String())
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

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
	case []any:
		for _, item := range v {
			writeXML(b, "item", item)
		}
	case bool:
		b.WriteString(map[bool]string{true: "1", false: "0"}[v])
	default:
		b.WriteString(escaper.Replace(fmt.Sprint(v)))
	}
	b.WriteString("</" + name + ">")
}

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

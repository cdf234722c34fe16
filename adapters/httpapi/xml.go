package httpapi

import (
	"bytes"
	"encoding/xml"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// xmlEncoder writes the same values as jsonEncoder, as text: true is 1, false
// and null are an empty element.
type xmlEncoder struct {
	*bytes.Buffer
}

func (e *xmlEncoder) list(rows *readmodel.Rows, shape *readmodel.Selection) {
	e.WriteString(xml.Header)
	e.WriteString("<response>")
	e.items(rows, shape)
	e.WriteString("</response>")
}

func (e *xmlEncoder) record(rows *readmodel.Rows, shape *readmodel.Selection) {
	e.WriteString(xml.Header)
	e.WriteString("<response>")
	e.object(rows, 0, shape, shape.Nodes)
	e.WriteString("</response>")
}

func (e *xmlEncoder) items(rows *readmodel.Rows, shape *readmodel.Selection) {
	for row := range rows.Len() {
		e.WriteString("<item>")
		e.object(rows, row, shape, shape.Nodes)
		e.WriteString("</item>")
	}
}

func (e *xmlEncoder) object(rows *readmodel.Rows, row int, shape *readmodel.Selection, nodes []readmodel.Node) {
	for i := range nodes {
		n := &nodes[i]
		if !belongs(rows, row, shape, n.Attribute) {
			continue
		}
		e.WriteByte('<')
		e.WriteString(n.Name)
		start := e.Len()
		e.WriteByte('>')
		empty := e.Len()
		e.value(rows, row, shape, n)
		if e.Len() == empty {
			e.Truncate(start)
			e.WriteString("/>")
			continue
		}
		e.WriteString("</")
		e.WriteString(n.Name)
		e.WriteByte('>')
	}
}

func (e *xmlEncoder) value(rows *readmodel.Rows, row int, shape *readmodel.Selection, n *readmodel.Node) {
	if n.Kind == readmodel.List {
		e.items(rows.List(row, n.Column), n.Inner)
		return
	}
	cell, ok := rows.Cell(row, n.Column)
	if !ok {
		return
	}
	switch n.Kind {
	case readmodel.Object:
		e.object(rows, row, shape, n.Of)
	case readmodel.Bool:
		if cell[0] == 't' {
			e.WriteByte('1')
		}
	default:
		e.text(shown(n.Kind, cell))
	}
}

// text writes character data. A carriage return is written as a reference,
// since a reader of XML would turn it into a line feed.
func (e *xmlEncoder) text(s []byte) {
	start := 0
	for i, c := range s {
		var escaped string
		switch c {
		case '&':
			escaped = "&amp;"
		case '<':
			escaped = "&lt;"
		case '>':
			escaped = "&gt;"
		case '\r':
			escaped = "&#13;"
		default:
			continue
		}
		e.Write(s[start:i])
		e.WriteString(escaped)
		start = i + 1
	}
	e.Write(s[start:])
}

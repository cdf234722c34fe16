package encode

import (
	"bytes"
	"encoding/xml"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

type xmlEncoder struct {
	*bytes.Buffer
}

func (e *xmlEncoder) List(rows *readmodel.Rows, selection *readmodel.Selection) {
	e.WriteString(xml.Header)
	e.WriteString("<response>")
	e.items(rows, selection)
	e.WriteString("</response>")
}

func (e *xmlEncoder) Record(rows *readmodel.Rows, selection *readmodel.Selection) {
	e.WriteString(xml.Header)
	e.WriteString("<response>")
	e.object(rows, 0, selection, selection.Nodes)
	e.WriteString("</response>")
}

func (e *xmlEncoder) items(rows *readmodel.Rows, selection *readmodel.Selection) {
	for row := range rows.Len() {
		e.WriteString("<item>")
		e.object(rows, row, selection, selection.Nodes)
		e.WriteString("</item>")
	}
}

func (e *xmlEncoder) object(rows *readmodel.Rows, row int, selection *readmodel.Selection, nodes []readmodel.Node) {
	for i := range nodes {
		n := &nodes[i]
		if !Has(rows, row, selection, n.Attribute) {
			continue
		}
		e.WriteByte('<')
		e.WriteString(n.Name)
		start := e.Len()
		e.WriteByte('>')
		empty := e.Len()
		e.value(rows, row, selection, n)
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

func (e *xmlEncoder) value(rows *readmodel.Rows, row int, selection *readmodel.Selection, n *readmodel.Node) {
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
		e.object(rows, row, selection, n.Of)
	case readmodel.Texts:
		for _, text := range textsOf(cell) {
			e.WriteString("<item>")
			e.text(text)
			e.WriteString("</item>")
		}
	case readmodel.Bool:
		if cell[0] == 't' {
			e.WriteByte('1')
		}
	case readmodel.ID:
		if !readmodel.IsPlaceholder(cell) {
			e.Write(cell)
		}
	default:
		e.text(Display(n.Kind, cell))
	}
}

// text writes character data. A carriage return is written as a reference, since XML parsers
// turn it into a line feed.
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

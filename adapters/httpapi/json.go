package httpapi

import (
	"bytes"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// jsonEncoder writes compact JSON, in which only what JSON itself demands is
// escaped.
type jsonEncoder struct {
	*bytes.Buffer
}

func (e *jsonEncoder) list(rows *readmodel.Rows, shape *readmodel.Selection) {
	e.WriteString(`{"response":{"items":`)
	e.items(rows, shape)
	e.WriteString(`}}`)
}

func (e *jsonEncoder) record(rows *readmodel.Rows, shape *readmodel.Selection) {
	e.WriteString(`{"response":`)
	e.object(rows, 0, shape, shape.Nodes)
	e.WriteByte('}')
}

func (e *jsonEncoder) items(rows *readmodel.Rows, shape *readmodel.Selection) {
	e.WriteByte('[')
	for row := range rows.Len() {
		if row > 0 {
			e.WriteByte(',')
		}
		e.object(rows, row, shape, shape.Nodes)
	}
	e.WriteByte(']')
}

func (e *jsonEncoder) object(rows *readmodel.Rows, row int, shape *readmodel.Selection, nodes []readmodel.Node) {
	e.WriteByte('{')
	first := true
	for i := range nodes {
		n := &nodes[i]
		if !belongs(rows, row, shape, n.Attribute) {
			continue
		}
		if !first {
			e.WriteByte(',')
		}
		first = false
		e.WriteByte('"')
		e.WriteString(n.Name)
		e.WriteString(`":`)
		e.value(rows, row, shape, n)
	}
	e.WriteByte('}')
}

func (e *jsonEncoder) value(rows *readmodel.Rows, row int, shape *readmodel.Selection, n *readmodel.Node) {
	if n.Kind == readmodel.List {
		e.items(rows.List(row, n.Column), n.Inner)
		return
	}
	cell, ok := rows.Cell(row, n.Column)
	if !ok {
		e.WriteString("null")
		return
	}
	switch n.Kind {
	case readmodel.Object:
		e.object(rows, row, shape, n.Of)
	case readmodel.Bool:
		if cell[0] == 't' {
			e.WriteString("true")
			return
		}
		e.WriteString("false")
	case readmodel.ID, readmodel.Integer, readmodel.Quantity:
		e.Write(shown(n.Kind, cell))
	default:
		e.text(shown(n.Kind, cell))
	}
}

const hexDigits = "0123456789abcdef"

// text writes a JSON string: quotes, backslashes and control characters are
// escaped and nothing else.
func (e *jsonEncoder) text(s []byte) {
	e.WriteByte('"')
	start := 0
	for i, c := range s {
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		e.Write(s[start:i])
		start = i + 1
		e.WriteByte('\\')
		switch c {
		case '"', '\\':
			e.WriteByte(c)
		case '\n':
			e.WriteByte('n')
		case '\r':
			e.WriteByte('r')
		case '\t':
			e.WriteByte('t')
		default:
			e.WriteString("u00")
			e.WriteByte(hexDigits[c>>4])
			e.WriteByte(hexDigits[c&0xF])
		}
	}
	e.Write(s[start:])
	e.WriteByte('"')
}

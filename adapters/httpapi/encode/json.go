package encode

import (
	"bytes"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

var null = []byte("null")

// Items returns the rows as a JSON array, without a root.
func Items(rows *readmodel.Rows, selection *readmodel.Selection) []byte {
	var e jsonEncoder
	e.items(rows, selection)
	return e.text
}

// Item returns the first row as a JSON object, without a root.
func Item(rows *readmodel.Rows, selection *readmodel.Selection) []byte {
	var e jsonEncoder
	e.object(rows, 0, selection, selection.Nodes)
	return e.text
}

type jsonEncoder struct {
	buf  *bytes.Buffer
	text []byte // the output, mostly in the buffer's own memory
}

func (e *jsonEncoder) List(rows *readmodel.Rows, selection *readmodel.Selection) {
	e.text = append(e.buf.AvailableBuffer(), `{"response":{"items":`...)
	e.items(rows, selection)
	e.buf.Write(append(e.text, `}}`...))
}

func (e *jsonEncoder) Record(rows *readmodel.Rows, selection *readmodel.Selection) {
	e.text = append(e.buf.AvailableBuffer(), `{"response":`...)
	e.object(rows, 0, selection, selection.Nodes)
	e.buf.Write(append(e.text, '}'))
}

func (e *jsonEncoder) items(rows *readmodel.Rows, selection *readmodel.Selection) {
	e.text = append(e.text, '[')
	for row := range rows.Len() {
		if row > 0 {
			e.text = append(e.text, ',')
		}
		e.object(rows, row, selection, selection.Nodes)
	}
	e.text = append(e.text, ']')
}

func (e *jsonEncoder) object(rows *readmodel.Rows, row int, selection *readmodel.Selection, nodes []readmodel.Node) {
	e.text = append(e.text, '{')
	first := true
	for i := range nodes {
		n := &nodes[i]
		if !Has(rows, row, selection, n.Attribute) {
			continue
		}
		if !first {
			e.text = append(e.text, ',')
		}
		first = false
		e.text = append(e.text, '"')
		e.text = append(e.text, n.Name...)
		e.text = append(e.text, `":`...)
		e.value(rows, row, selection, n)
	}
	e.text = append(e.text, '}')
}

func (e *jsonEncoder) value(rows *readmodel.Rows, row int, selection *readmodel.Selection, n *readmodel.Node) {
	if n.Kind == readmodel.List {
		e.items(rows.List(row, n.Column), n.Inner)
		return
	}
	cell, ok := rows.Cell(row, n.Column)
	if !ok {
		e.text = append(e.text, null...)
		return
	}
	switch n.Kind {
	case readmodel.Object:
		e.object(rows, row, selection, n.Of)
	case readmodel.Texts:
		e.texts(cell)
	case readmodel.Bool:
		if cell[0] == 't' {
			e.text = append(e.text, "true"...)
			return
		}
		e.text = append(e.text, "false"...)
	case readmodel.ID:
		if readmodel.IsPlaceholder(cell) {
			cell = null
		}
		e.text = append(e.text, cell...)
	case readmodel.Integer, readmodel.Quantity:
		e.text = append(e.text, Display(n.Kind, cell)...)
	case readmodel.Time, readmodel.Money, readmodel.Percent, readmodel.Decimal: // contain nothing to escape
		e.text = append(e.text, '"')
		e.text = append(e.text, Display(n.Kind, cell)...)
		e.text = append(e.text, '"')
	default:
		e.quote(cell)
	}
}

func (e *jsonEncoder) texts(cell []byte) {
	e.text = append(e.text, '[')
	for i, text := range textsOf(cell) {
		if i > 0 {
			e.text = append(e.text, ',')
		}
		e.quote(text)
	}
	e.text = append(e.text, ']')
}

const hexDigits = "0123456789abcdef"

// quote writes a JSON string; only quotes, backslashes and control characters are escaped.
func (e *jsonEncoder) quote(s []byte) {
	text := e.text
	text = append(text, '"')
	start := 0
	for i, c := range s {
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		text = append(text, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			text = append(text, '\\', c)
		case '\n':
			text = append(text, `\n`...)
		case '\r':
			text = append(text, `\r`...)
		case '\t':
			text = append(text, `\t`...)
		default:
			text = append(text, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
		}
	}
	text = append(text, s[start:]...)
	text = append(text, '"')
	e.text = text
}

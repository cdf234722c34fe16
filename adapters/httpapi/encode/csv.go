package encode

import (
	"bytes"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// CSV writes a list as RFC 4180 has it: a header, and a line for each record. An attribute of an
// object has a column of its own, named with a dot. The selection has no lists of records.
//
// Chose: texts that a spreadsheet would run as a formula get an apostrophe. Because: whoever may write a
// client's name would otherwise run formulas at the desk of whoever opens the file. Costs: such texts, phone
// numbers with a plus among them, have it in the file.
type CSV struct{ *bytes.Buffer }

const lineEnd = "\r\n"

// Header writes the names of the columns.
func (e CSV) Header(selection *readmodel.Selection) {
	e.names(selection.Nodes, "", 0)
	e.WriteString(lineEnd)
}

func (e CSV) names(nodes []readmodel.Node, prefix string, column int) int {
	for i := range nodes {
		if n := &nodes[i]; n.Kind == readmodel.Object {
			column = e.names(n.Of, prefix+n.Name+".", column)
		} else {
			e.separate(column)
			e.WriteString(prefix + n.Name)
			column++
		}
	}
	return column
}

// Lines writes a line for each of the rows.
func (e CSV) Lines(rows *readmodel.Rows, selection *readmodel.Selection) {
	for row := range rows.Len() {
		start := e.Len()
		columns := e.cells(rows, row, selection, selection.Nodes, 0)
		if e.Len() == start && columns == 1 {
			e.WriteString(`""`) // an empty line would be none
		}
		e.WriteString(lineEnd)
	}
}

func (e CSV) cells(rows *readmodel.Rows, row int, selection *readmodel.Selection, nodes []readmodel.Node, column int) int {
	for i := range nodes {
		n := &nodes[i]
		if n.Kind == readmodel.Object {
			column = e.cells(rows, row, selection, n.Of, column)
			continue
		}
		e.separate(column)
		column++
		if cell, ok := rows.Cell(row, n.Column); ok && Has(rows, row, selection, n.Attribute) {
			e.cell(n.Kind, cell)
		}
	}
	return column
}

func (e CSV) cell(kind readmodel.Kind, cell []byte) {
	switch kind {
	case readmodel.Bool:
		if cell[0] == 't' {
			e.WriteString("true")
		} else {
			e.WriteString("false")
		}
	case readmodel.Text, readmodel.Texts:
		e.text(cell)
	default:
		e.Write(Display(kind, cell))
	}
}

func (e CSV) text(text []byte) {
	isFormula := len(text) > 0 && strings.IndexByte("=+-@\t\r", text[0]) >= 0
	isQuoted := bytes.ContainsAny(text, ",\"\r\n")
	if isQuoted {
		e.WriteByte('"')
		text = bytes.ReplaceAll(text, []byte(`"`), []byte(`""`))
	}
	if isFormula {
		e.WriteByte('\'')
	}
	e.Write(text)
	if isQuoted {
		e.WriteByte('"')
	}
}

func (e CSV) separate(column int) {
	if column > 0 {
		e.WriteByte(',')
	}
}

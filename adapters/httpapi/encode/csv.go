package encode

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// CSV writes a list as RFC 4180 has it: a header, and a line for each record. An attribute of an
// object has a column of its own, named with a dot. Lists of records in an object are left out, and the selection has no others.
//
// Chose: texts that a spreadsheet would run as a formula get an apostrophe. Because: whoever may write a
// client's name would otherwise run formulas at the desk of whoever opens the file. Costs: such texts have it in the file;
// numbers and phone numbers are harmless, and do not.
type CSV struct{ *bytes.Buffer }

const lineEnd = "\r\n"

// Header writes the names of the columns.
func (e CSV) Header(selection *readmodel.Selection) {
	e.names(selection.Nodes, "", 0)
	e.WriteString(lineEnd)
}

func (e CSV) names(nodes []readmodel.Node, prefix string, column int) int {
	for i := range nodes {
		switch n := &nodes[i]; n.Kind {
		case readmodel.Object:
			column = e.names(n.Of, prefix+n.Name+".", column)
		case readmodel.List:
		default:
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
		if n.Kind == readmodel.List {
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

// text writes a text in quotes, with an apostrophe in front of what would be a formula: the text itself, and, for programs that
// split lines at another separator and then know no quotes in the middle, what follows such a separator or a line break in it.
func (e CSV) text(text []byte) {
	e.WriteByte('"')
	if len(text) > 0 && (text[0] == '\t' || text[0] == '\r' || isFormula(text)) {
		e.WriteByte('\'')
	}
	for {
		end := bytes.IndexAny(text, ";\t\r\n") + 1
		if end == 0 {
			break
		}
		rest := bytes.TrimLeft(text[end:], ` "`)
		e.quoted(text[:len(text)-len(rest)])
		if text = rest; isFormula(text) && !listItem.Match(partOf(text)) {
			e.WriteByte('\'')
		}
	}
	e.quoted(text)
	e.WriteByte('"')
}

func (e CSV) quoted(text []byte) { e.Write(bytes.ReplaceAll(text, []byte(`"`), []byte(`""`))) }

var (
	numberOrPhone = regexp.MustCompile(`^([+-][0-9]+([.,][0-9]+)*|\+[0-9\p{Zs}\p{Pd}()/.]+)$`)
	listItem      = regexp.MustCompile(`^[+-] [^|!(]*$`) // a formula that calls something needs one of these
)

// isFormula reports whether a spreadsheet takes the beginning of the text, up to a separator, for a formula.
func isFormula(text []byte) bool {
	first, _ := utf8.DecodeRune(text)
	switch first {
	case '+', '-':
		return !numberOrPhone.Match(partOf(text))
	case '=', '@', '＝', '＋', '－', '＠': // a spreadsheet may narrow the full-width signs
		return true
	}
	return false
}

// partOf is the beginning of the text up to a separator or a line break.
func partOf(text []byte) []byte {
	if end := bytes.IndexAny(text, ";\t\r\n"); end >= 0 {
		return text[:end]
	}
	return text
}

func (e CSV) separate(column int) {
	if column > 0 {
		e.WriteByte(',')
	}
}

package page

import (
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/encode"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Linker returns the URL of the record that an attribute refers to by its id; "" if it has no page.
type Linker func(a *readmodel.Attribute, id string) string

// numbers are the kinds that are aligned to the right.
var numbers = []readmodel.Kind{readmodel.Money, readmodel.Percent, readmodel.Quantity, readmodel.Decimal}

// Values makes the values of pages from rows.
type Values struct {
	Selection *readmodel.Selection
	Link      Linker
}

// TableOf returns the rows as a table, without the links of its columns.
func (v Values) TableOf(name string, rows *readmodel.Rows) Table {
	t := Table{Name: name}
	for _, n := range v.Selection.Nodes {
		t.Columns = append(t.Columns, Column{Name: n.Name, IsNumber: slices.Contains(numbers, n.Kind)})
	}
	for row := range lenOf(rows) {
		cells := make([]Value, len(v.Selection.Nodes))
		for i := range v.Selection.Nodes {
			cells[i] = v.value(rows, row, &v.Selection.Nodes[i])
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func lenOf(rows *readmodel.Rows) int {
	if rows == nil {
		return 0
	}
	return rows.Len()
}

// FieldsOf returns the attributes of the first row.
func (v Values) FieldsOf(rows *readmodel.Rows) []Field { return v.fields(rows, 0, v.Selection.Nodes) }

func (v Values) fields(rows *readmodel.Rows, row int, nodes []readmodel.Node) (fields []Field) {
	for i := range nodes {
		if n := &nodes[i]; encode.Has(rows, row, v.Selection, n.Attribute) {
			fields = append(fields, Field{n.Name, v.value(rows, row, n)})
		}
	}
	return fields
}

func (v Values) value(rows *readmodel.Rows, row int, n *readmodel.Node) Value {
	if n.Kind == readmodel.List {
		t := Values{n.Inner, v.nestedLink}.TableOf(n.Name, rows.List(row, n.Column))
		return Value{Table: &t}
	}
	cell, ok := rows.Cell(row, n.Column)
	if !ok || !encode.Has(rows, row, v.Selection, n.Attribute) {
		return Value{}
	}
	switch n.Kind {
	case readmodel.Object:
		return v.object(rows, row, n, string(cell))
	case readmodel.ID:
		return Value{Text: string(cell), URL: v.Link(n.Attribute, string(cell))}
	case readmodel.Bool:
		if cell[0] == 't' {
			return Value{Text: "yes"}
		}
		return Value{Text: "no"}
	case readmodel.Texts:
		return Value{Text: strings.ReplaceAll(string(cell), ",", ", ")}
	}
	return Value{Text: string(encode.Display(n.Kind, cell)), IsNumber: slices.Contains(numbers, n.Kind)}
}

// nestedLink links no ids of records in a record, which have no pages.
func (v Values) nestedLink(a *readmodel.Attribute, id string) string {
	if a.Name == "id" {
		return ""
	}
	return v.Link(a, id)
}

// object is a link with the label of the record, if it has a page, and else its attributes.
func (v Values) object(rows *readmodel.Rows, row int, n *readmodel.Node, id string) Value {
	fields := v.fields(rows, row, n.Of)
	url := v.Link(n.Attribute, id)
	if url == "" && len(fields) > 1 && fields[0].Name != "id" {
		return Value{Fields: fields}
	}
	return Value{Text: Label(fields, id), URL: url}
}

// Label returns the name of the record with these attributes, or else its id.
func Label(fields []Field, id string) string {
	for _, name := range []string{"name", "number", "title", "username"} {
		if i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name && f.Text != "" }); i >= 0 {
			return fields[i].Text
		}
	}
	if len(fields) == 1 {
		return fields[0].Text
	}
	return id
}

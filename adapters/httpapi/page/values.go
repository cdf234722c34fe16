package page

import (
	"slices"

	"github.com/kontor-crm/kontor/adapters/httpapi/encode"
	"github.com/kontor-crm/kontor/domain/text"
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
	Resource  string   // for the words of its Codes
	Columns   []string // of a table, in their order; nil: all
	// Currency returns that of the amounts of a row that does not name one; nil: it is not known.
	Currency func(rows *readmodel.Rows, row int) string
	// Badge replaces the attribute status; nil: nothing does.
	Badge func(rows *readmodel.Rows, row int) Value
	// IsReport keeps the columns without any value.
	IsReport bool

	isNested bool
}

// maxNested is how many rows the table of a list in a record shows, and maxCell how many characters the cell of a table.
const maxNested, maxCell = 100, 200

// TableOf returns the rows as a table, without the links of its columns.
func (v Values) TableOf(name string, rows *readmodel.Rows) Table {
	t := Table{Name: name}
	nodes := v.columns()
	for _, n := range nodes {
		t.Columns = append(t.Columns, Column{Name: n.Name, IsNumber: slices.Contains(numbers, n.Kind)})
	}
	count := lenOf(rows)
	if v.isNested && count > maxNested {
		count, t.More = maxNested, count-maxNested
	}
	for row := range count {
		cells := make([]Value, len(nodes))
		for i, n := range nodes {
			cells[i] = v.value(rows, row, n)
			cells[i].Text = text.Truncate(cells[i].Text, maxCell)
		}
		t.Rows = append(t.Rows, cells)
	}
	if v.isNested && !v.IsReport {
		t.Drop(func(c Column, v Value) bool { return v.isEmpty() || c.Name == "id" && v.URL == "" })
	}
	return t
}

// columns returns the nodes of the columns.
func (v Values) columns() (nodes []*readmodel.Node) {
	for i := range v.Selection.Nodes {
		n := &v.Selection.Nodes[i]
		isOwner := v.isNested && n.Refers != "" && n.Refers == v.Resource
		if !isOwner && (v.Columns == nil || slices.Contains(v.Columns, n.Name)) {
			nodes = append(nodes, n)
		}
	}
	if v.Columns != nil {
		slices.SortStableFunc(nodes, func(a, b *readmodel.Node) int {
			return slices.Index(v.Columns, a.Name) - slices.Index(v.Columns, b.Name)
		})
	}
	return nodes
}

// Drop removes the columns of which every value is so.
func (t *Table) Drop(isDispensable func(c Column, v Value) bool) {
	for i := len(t.Columns) - 1; i >= 0 && len(t.Rows) > 0; i-- {
		if slices.ContainsFunc(t.Rows, func(row []Value) bool { return !isDispensable(t.Columns[i], row[i]) }) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, i, i+1)
		for row := range t.Rows {
			t.Rows[row] = slices.Delete(t.Rows[row], i, i+1)
		}
	}
}

func (v Value) isEmpty() bool {
	return v.Text == "" && len(v.Fields) == 0 && (v.Table == nil || len(v.Table.Rows) == 0)
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

// Cell returns the text of a path in a row; "" if it is null or not selected.
func (v Values) Cell(rows *readmodel.Rows, row int, path string) string {
	if i := slices.Index(v.Selection.Paths, path); i >= 0 {
		cell, _ := rows.Cell(row, i)
		return string(cell)
	}
	return ""
}

// NameOf returns the name of the record in a row; "" if it has none.
func (v Values) NameOf(rows *readmodel.Rows, row int) (name string) {
	for _, label := range Labels {
		if name = v.Cell(rows, row, label); name != "" {
			break
		}
	}
	return name
}

// CurrencyOf returns the currency of a row; "" if it is not known.
func (v Values) CurrencyOf(rows *readmodel.Rows, row int) string {
	currency := v.Cell(rows, row, "currency")
	if currency == "" && v.Currency != nil {
		currency = v.Currency(rows, row)
	}
	return currency
}

func (v Values) value(rows *readmodel.Rows, row int, n *readmodel.Node) Value {
	if n.Kind == readmodel.List {
		inner := Values{Selection: n.Inner, Link: v.nestedLink, Resource: v.Resource, IsReport: v.IsReport, isNested: true}
		inner.Currency = func(*readmodel.Rows, int) string { return v.CurrencyOf(rows, row) }
		t := inner.TableOf(n.Name, rows.List(row, n.Column))
		return Value{Table: &t}
	}
	if v.Badge != nil && n.Name == "status" {
		return v.Badge(rows, row)
	}
	cell, ok := rows.Cell(row, n.Column)
	if !ok || !encode.Has(rows, row, v.Selection, n.Attribute) {
		return Value{IsNumber: slices.Contains(numbers, n.Kind)}
	}
	raw := string(cell)
	switch n.Kind {
	case readmodel.Object:
		return v.object(rows, row, n, raw)
	case readmodel.ID:
		return Value{Text: raw, Raw: raw, Refers: n.Refers, URL: v.Link(n.Attribute, raw)}
	}
	currency := ""
	if n.Kind == readmodel.Money {
		currency = v.CurrencyOf(rows, row)
	}
	shown := Value{Text: display(n, raw, currency), Raw: raw, IsNumber: slices.Contains(numbers, n.Kind)}
	for _, c := range Codes[v.Resource+"."+n.Name] {
		if c.Value == raw {
			shown.Text = c.Text
		}
	}
	return shown
}

// nestedLink links no ids of records in a record, which have no pages.
func (v Values) nestedLink(a *readmodel.Attribute, id string) string {
	if a.Name == "id" && a.Refers == "" {
		return ""
	}
	return v.Link(a, id)
}

// object is a link with the label of the record, if it has a page, and else its attributes.
func (v Values) object(rows *readmodel.Rows, row int, n *readmodel.Node, id string) Value {
	fields := v.fields(rows, row, n.Of)
	url := v.Link(n.Attribute, id)
	if url == "" && len(fields) > 1 && fields[0].Name != "id" {
		return Value{Fields: slices.DeleteFunc(fields, func(f Field) bool { return f.isEmpty() })}
	}
	return Value{Text: Label(fields, id), URL: url}
}

// Labels are the attributes that name a record, the best first.
var Labels = []string{"name", "number", "title", "username"}

// Label returns the name of the record with these attributes, or else its id.
func Label(fields []Field, id string) string {
	for _, name := range Labels {
		if i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name && f.Text != "" }); i >= 0 {
			return fields[i].Text
		}
	}
	if len(fields) == 1 {
		return fields[0].Text
	}
	return id
}

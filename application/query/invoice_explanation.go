package query

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// InvoiceExplanations reads invoices together with the steps that compute their amounts.
type InvoiceExplanations struct {
	inputs RecordReader
}

var _ RecordReader = (*InvoiceExplanations)(nil)

// NewInvoiceExplanations returns a reader of explanations; inputs reads readmodel.InvoiceInputs.
func NewInvoiceExplanations(inputs RecordReader) *InvoiceExplanations {
	return &InvoiceExplanations{inputs: inputs}
}

// allInputs selects all attributes of readmodel.InvoiceInputs, and has the lines in inputLines.
var allInputs, inputLines = everything(readmodel.InvoiceInputs)

// everything returns the selection of all attributes of the resource, and the node of the last one.
func everything(r *readmodel.Resource) (*readmodel.Selection, readmodel.Node) {
	var choices []readmodel.Choice
	for i := range r.Attributes {
		choices = append(choices, readmodel.Choice{Attribute: &r.Attributes[i]})
	}
	s := readmodel.NewSelection(r, choices)
	return s, s.Nodes[len(s.Nodes)-1]
}

// formerIn returns what former credit notes have. The selection is that of everything.
func formerIn(record cells, rows *readmodel.Rows, s *readmodel.Selection) (f invoice.Former, err error) {
	list := s.Nodes[len(s.Nodes)-2]
	if f.VATPrice, err = money.RestoreAmount(record.text("former_vat_price")); err != nil {
		return f, err
	}
	lines := rows.List(0, list.Column)
	f.Lines = make(map[invoice.LineID]invoice.FormerLine, lines.Len())
	for row := range lines.Len() {
		line := cellsOf(lines, row, list.Inner)
		count, badCount := money.ParseQuantity(line.text("count"))
		total, badTotal := money.RestoreAmount(line.text("total_price"))
		if err := errors.Join(badCount, badTotal); err != nil {
			return f, err
		}
		f.Lines[invoice.LineID(line.number("id"))] = invoice.FormerLine{Count: count, Total: total}
	}
	return f, nil
}

// Read returns the explained invoice with the id, or a fault.NotFound. It is consistent: all
// values are from one snapshot.
func (x *InvoiceExplanations) Read(ctx context.Context, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	inputs, err := x.inputs.Read(ctx, id, allInputs)
	if err != nil {
		return nil, err
	}
	defer inputs.Release()
	record := cellsOf(inputs, 0, allInputs)
	terms, err := record.terms()
	if err != nil {
		return nil, err
	}
	e := invoice.Explanation{Terms: terms}
	if e.Former, err = formerIn(record, inputs, allInputs); err != nil {
		return nil, err
	}
	lines, err := explainLines(&e, inputs.List(0, inputLines.Column), linesIn(s))
	if err != nil {
		return nil, err
	}
	total, vat, pay := e.Totals()
	record.explain("total_price", total)
	record.explain("vat_price", vat)
	record.explain("pay_price", pay)
	rows := readmodel.NewRows(len(s.Paths))
	rows.Total = 1
	record.appendTo(rows, s, lines)
	return rows, nil
}

func linesIn(s *readmodel.Selection) *readmodel.Selection {
	for _, lines := range s.Lists {
		return lines
	}
	return nil
}

// explainLines adds the lines to the explanation, and returns them if they are selected.
func explainLines(e *invoice.Explanation, inputs *readmodel.Rows, s *readmodel.Selection) (*readmodel.Rows, error) {
	bytes := 0
	var lines *readmodel.Rows
	if s != nil {
		lines = readmodel.NewRows(len(s.Paths))
	}
	for row := range inputs.Len() {
		line := cellsOf(inputs, row, inputLines.Inner)
		count, badCount := money.ParseQuantity(string(line["count"]))
		price, badPrice := money.RestoreAmount(string(line["price"]))
		if err := errors.Join(badCount, badPrice); err != nil {
			return nil, fmt.Errorf("read line %s: %w", line["id"], err)
		}
		line.explain("total_price", e.AddLine(invoice.Line{Count: count, Price: price, Credits: invoice.LineID(line.number("credits"))}))
		if lines == nil {
			continue
		}
		if bytes += line.size(); bytes > readmodel.MaxBytes {
			return nil, readmodel.ErrTooLarge
		}
		line.appendTo(lines, s, nil)
	}
	return lines, nil
}

// cells are the cells of a record by their paths; a missing one is null.
type cells map[string][]byte

// cellsOf returns the cells of a row, which are valid until the rows are released.
func cellsOf(rows *readmodel.Rows, row int, s *readmodel.Selection) cells {
	c := make(cells, len(s.Paths))
	for i, path := range s.Paths {
		if s.Lists[i] == nil {
			c[path], _ = rows.Cell(row, i)
		}
	}
	return c
}

func (c cells) text(path string) string { return string(c[path]) }

// number returns the integer in a cell, which the database has checked.
func (c cells) number(path string) int64 {
	n, _ := strconv.ParseInt(string(c[path]), 10, 64)
	return n
}

func (c cells) explain(name string, s invoice.Step) {
	c[name+".formula"] = []byte(s.Formula)
	c[name+".exact"] = []byte(s.Exact.String())
	c[name+".digits"] = strconv.AppendInt(nil, int64(s.Digits), 10)
	c[name+".result"] = []byte(s.Result.String())
	if s.IsRounded {
		c[name+".rounding"] = []byte(money.Rounding)
	}
}

func (c cells) terms() (t performer.Terms, err error) {
	t.VATUse = string(c["vat_use"]) == "t"
	t.InCents = string(c["digits"]) == "2"
	t.VATPercent, err = money.ParsePercent(string(c["vat_percent"]))
	return t, err
}

func (c cells) size() (bytes int) {
	for _, cell := range c {
		bytes += len(cell)
	}
	return bytes
}

// appendTo adds the selected cells as a row; lines are those of the record.
func (c cells) appendTo(rows *readmodel.Rows, s *readmodel.Selection, lines *readmodel.Rows) {
	for i, path := range s.Paths {
		if s.Lists[i] == nil {
			rows.Append(c[path])
		} else {
			rows.AppendList(lines)
		}
	}
}

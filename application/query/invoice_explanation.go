package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// nodeOf returns the node of the selection with the name.
func nodeOf(s *readmodel.Selection, name string) readmodel.Node {
	return s.Nodes[slices.IndexFunc(s.Nodes, func(n readmodel.Node) bool { return n.Name == name })]
}

// adjustmentsIn returns the adjustments in a list of the row.
func adjustmentsIn(rows *readmodel.Rows, row int, list readmodel.Node) (all []invoice.Adjustment, err error) {
	found := rows.List(row, list.Column)
	for i := range found.Len() {
		c := cellsOf(found, i, list.Inner)
		rate, badRate := c.rate()
		amount, badAmount := money.RestoreAmount(c.text("amount"))
		if err := errors.Join(badRate, badAmount); err != nil {
			return nil, err
		}
		all = append(all, invoice.Adjustment{Amount: amount, VATCategory: rate.Category, VATPercent: rate.Percent})
	}
	return all, nil
}

// formerIn returns what former credit notes have. The selection is that of everything.
func formerIn(rows *readmodel.Rows, s *readmodel.Selection) (f invoice.Former, err error) {
	if f.Adjustments, err = adjustmentsIn(rows, 0, nodeOf(s, "former_adjustments")); err != nil {
		return f, err
	}
	list := nodeOf(s, "former")
	lines := rows.List(0, list.Column)
	f.Lines = make(map[invoice.LineID]invoice.FormerLine, lines.Len())
	for row := range lines.Len() {
		line := cellsOf(lines, row, list.Inner)
		count, badCount := money.ParseQuantity(line.text("count"))
		total, badTotal := money.RestoreAmount(line.text("total_price"))
		rate, badRate := line.rate()
		if err := errors.Join(badCount, badTotal, badRate); err != nil {
			return f, err
		}
		f.Lines[invoice.LineID(line.number("id"))] = invoice.FormerLine{Count: count, Total: total, VAT: rate}
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
	discount, badDiscount := money.ParsePercent(record.text("discount_percent"))
	former, badFormer := formerIn(inputs, allInputs)
	adjustments, badAdjustments := adjustmentsIn(inputs, 0, nodeOf(allInputs, "adjustments"))
	if err := errors.Join(badDiscount, badFormer, badAdjustments); err != nil {
		return nil, err
	}
	e.Discount, e.Former, e.Adjustments = discount, former, adjustments
	lists := map[string]*readmodel.Rows{}
	if lists["items"], err = explainLines(&e, inputs.List(0, inputLines.Column), listOf(s, "items")); err != nil {
		return nil, err
	}
	amounts := e.Amounts()
	lists["vat"] = explainVAT(amounts.ByRate, listOf(s, "vat"))
	record.explain("total_price", amounts.Total)
	record.explain("vat_price", amounts.VAT)
	record.explain("pay_price", amounts.Pay)
	rows := readmodel.NewRows(len(s.Paths))
	rows.Total = 1
	record.appendTo(rows, s, lists)
	return rows, nil
}

// listOf returns the selection of a list in a record; nil if it is not selected.
func listOf(s *readmodel.Selection, path string) *readmodel.Selection {
	for column, list := range s.Lists {
		if s.Paths[column] == path {
			return list
		}
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
		cells := cellsOf(inputs, row, inputLines.Inner)
		line, err := cells.line()
		if err == nil {
			line.Adjustments, err = adjustmentsIn(inputs, row, nodeOf(inputLines.Inner, "adjustments"))
		}
		if err != nil {
			return nil, fmt.Errorf("read line %s: %w", cells["id"], err)
		}
		cells.explain("total_price", e.AddLine(line))
		if lines == nil {
			continue
		}
		if bytes += cells.size(); bytes > readmodel.MaxBytes {
			return nil, readmodel.ErrTooLarge
		}
		cells.appendTo(lines, s, nil)
	}
	return lines, nil
}

// explainVAT returns the amounts by VAT rate, if they are selected.
func explainVAT(rates []invoice.RateAmounts, s *readmodel.Selection) *readmodel.Rows {
	if s == nil {
		return nil
	}
	rows := readmodel.NewRows(len(s.Paths))
	for _, r := range rates {
		c := cells{"vat_percent": []byte(r.Percent.String()), "lines": []byte(r.Lines.String())}
		if r.Category != "" {
			c["vat_category"] = []byte(r.Category)
		}
		c.explain("discount", r.Discount)
		c["adjustments"] = []byte(r.Adjustments.String())
		c.explain("total_price", r.Total)
		c.explain("vat_price", r.VAT)
		c.appendTo(rows, s, nil)
	}
	return rows
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

// line returns what the total of a line is computed from, without its adjustments, and the total.
func (c cells) line() (l invoice.Line, err error) {
	var badCount, badBase, badPrice, badDiscount, badRate, badTotal error
	l.Credits = invoice.LineID(c.number("credits"))
	l.Count, badCount = money.ParseQuantity(c.text("count"))
	l.Price, badPrice = money.RestoreAmount(c.text("price"))
	l.Discount, badDiscount = money.ParsePercent(c.text("discount_percent"))
	if base := c.text("base_count"); base != "" {
		l.BaseCount, badBase = money.ParseQuantity(base)
	}
	l.VAT, badRate = c.rate()
	l.Total, badTotal = money.RestoreAmount(c.text("total_price"))
	return l, errors.Join(badCount, badBase, badPrice, badDiscount, badRate, badTotal)
}

// rate returns the VAT rate of a line.
func (c cells) rate() (r invoice.Rate, err error) {
	if r.Category = performer.VATCategory(c.text("vat_category")); r.Category != "" {
		r.Percent, err = money.ParsePercent(c.text("vat_percent"))
	}
	return r, err
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

// appendTo adds the selected cells as a row; lists are those of the record, by path.
func (c cells) appendTo(rows *readmodel.Rows, s *readmodel.Selection, lists map[string]*readmodel.Rows) {
	for i, path := range s.Paths {
		if s.Lists[i] == nil {
			rows.Append(c[path])
		} else {
			rows.AppendList(lists[path])
		}
	}
}

package replay

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
)

// Sales is what a file holds, and so what Kontor is to hold afterwards.
type Sales struct {
	// Customers are the numbers of the customers, in the order of their first
	// rows; an empty one stands for the rows that have none.
	Customers []string
	// Invoices are in the order of their first rows.
	Invoices []*Invoice
}

// Invoice is the rows of one InvoiceNo.
type Invoice struct {
	Number   string
	Date     string // of the first row
	Customer string // empty: not known
	Lines    []Line // in the order of the file
}

// Line is one row. Count and Price are as the file writes them.
type Line struct {
	Name  string
	Count string
	Price string
}

// Tally is what one side has in all.
type Tally struct {
	Clients, Invoices, Lines int
	Total                    *big.Rat
}

// columns are the columns of a file, in their order.
var columns = []string{"InvoiceNo", "StockCode", "Description", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID", "Country"}

// Read reads the first invoices of a CSV file, plain or compressed with gzip,
// each with all its rows; 0 means all invoices. A row that cannot be an
// invoice's line is an error that names the row.
func Read(file io.Reader, invoices int) (*Sales, error) {
	plain, err := uncompressed(file)
	if err != nil {
		return nil, err
	}
	rows := csv.NewReader(plain)
	rows.FieldsPerRecord = len(columns)
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read the head of the file: %w", err)
	}
	if !slices.Equal(header, columns) {
		return nil, fmt.Errorf("the columns must be %s", strings.Join(columns, ","))
	}
	b := builder{limit: invoices, invoices: map[string]*Invoice{}, customers: map[string]bool{}}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return &b.sales, nil
		}
		if err == nil {
			err = b.add(row)
		}
		if err != nil {
			line, _ := rows.FieldPos(0)
			return nil, fmt.Errorf("line %d of the file: %w", line, err)
		}
	}
}

// uncompressed looks at the first two bytes, by which gzip is known.
func uncompressed(file io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(file)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	if string(magic) != "\x1f\x8b" {
		return buffered, nil
	}
	plain, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, fmt.Errorf("uncompress the file: %w", err)
	}
	return plain, nil
}

// builder gathers rows that may lie anywhere in the file.
type builder struct {
	sales     Sales
	limit     int // of invoices; 0: none
	invoices  map[string]*Invoice
	customers map[string]bool
}

func (b *builder) add(row []string) error {
	number, stock, description, customer := row[0], row[1], row[2], row[6]
	line := Line{Name: strings.TrimSpace(description), Count: row[3], Price: row[5]}
	if line.Name == "" {
		line.Name = stock
	}
	if err := line.check(); err != nil {
		return err
	}
	inv, known := b.invoices[number]
	if !known {
		if b.limit > 0 && len(b.sales.Invoices) == b.limit {
			return nil
		}
		inv = &Invoice{Number: number, Date: row[4], Customer: customer}
		b.invoices[number] = inv
		b.sales.Invoices = append(b.sales.Invoices, inv)
	}
	if customer != inv.Customer {
		return fmt.Errorf("invoice %s is of customer %q, not %q", number, inv.Customer, customer)
	}
	if !b.customers[customer] {
		b.customers[customer] = true
		b.sales.Customers = append(b.sales.Customers, customer)
	}
	inv.Lines = append(inv.Lines, line)
	return nil
}

// check makes sure that the line's total needs no rounding: a whole count times
// a price of at most four digits.
func (l Line) check() error {
	count, err := exactly(l.Count)
	if err != nil {
		return fmt.Errorf("the quantity: %w", err)
	}
	if !count.IsInt() {
		return fmt.Errorf("the quantity %s is not whole", l.Count)
	}
	price, err := exactly(l.Price)
	if err != nil {
		return fmt.Errorf("the price: %w", err)
	}
	if !new(big.Rat).Mul(price, big.NewRat(10_000, 1)).IsInt() {
		return fmt.Errorf("the price %s has more than four digits", l.Price)
	}
	return nil
}

// Total is count times price, of a line that was read.
func (l Line) Total() *big.Rat {
	return new(big.Rat).Mul(must(exactly(l.Count)), must(exactly(l.Price)))
}

// Total is the sum of the lines' totals.
func (i *Invoice) Total() *big.Rat {
	sum := new(big.Rat)
	for _, l := range i.Lines {
		sum.Add(sum, l.Total())
	}
	return sum
}

// Tally counts and sums.
func (s *Sales) Tally() Tally {
	t := Tally{Clients: len(s.Customers), Invoices: len(s.Invoices), Total: new(big.Rat)}
	for _, i := range s.Invoices {
		t.Lines += len(i.Lines)
		t.Total.Add(t.Total, i.Total())
	}
	return t
}

// exactly is a decimal number without loss.
func exactly(text string) (*big.Rat, error) {
	if text == "" || strings.Trim(text, "+-.0123456789") != "" {
		return nil, fmt.Errorf("%q is no decimal number", text)
	}
	number, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("%q is no decimal number", text)
	}
	return number, nil
}

// must is the number; one that was checked is there.
func must(number *big.Rat, err error) *big.Rat {
	if err != nil {
		panic(err)
	}
	return number
}

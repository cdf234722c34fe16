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

// Sales is the content of a file.
type Sales struct {
	Customers []string   // numbers, in the order of their first rows; empty: not known
	Invoices  []*Invoice // in the order of their first rows
}

// Invoice is the rows of one InvoiceNo.
type Invoice struct {
	Number   string
	Date     string // of the first row
	Customer string
	Lines    []Line // in the order of the file
}

// Line is one row. Count and Price are as written in the file.
type Line struct {
	Name  string
	Count string
	Price string
}

var columns = []string{"InvoiceNo", "StockCode", "Description", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID", "Country"}

// Read reads the first invoices of a CSV file, plain or compressed with gzip, each with all its rows; 0 means all
// invoices. An error names the line of a row that cannot be the line of an invoice.
func Read(file io.Reader, invoices int) (*Sales, error) {
	plain, err := uncompressed(file)
	if err != nil {
		return nil, err
	}
	rows := csv.NewReader(plain)
	rows.FieldsPerRecord = len(columns)
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read the header of the file: %w", err)
	}
	if !slices.Equal(header, columns) {
		return nil, fmt.Errorf("the columns must be %s", strings.Join(columns, ","))
	}
	sales, byNumber := &Sales{}, map[string]*Invoice{}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return sales, nil
		}
		if err == nil {
			err = sales.add(row, byNumber, invoices)
		}
		if err != nil {
			line, _ := rows.FieldPos(0)
			return nil, fmt.Errorf("line %d of the file: %w", line, err)
		}
	}
}

func uncompressed(file io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(file)
	if magic, err := buffered.Peek(2); err != nil || string(magic) != "\x1f\x8b" {
		return buffered, nil //nolint:nilerr // an unreadable file fails at its first row
	}
	return gzip.NewReader(buffered)
}

func (s *Sales) add(row []string, byNumber map[string]*Invoice, limit int) error {
	number, stock, description, customer := row[0], row[1], row[2], row[6]
	line := Line{Name: strings.TrimSpace(description), Count: row[3], Price: row[5]}
	if line.Name == "" {
		line.Name = stock
	}
	if _, err := line.total(); err != nil {
		return err
	}
	invoice, known := byNumber[number]
	if !known {
		if limit > 0 && len(s.Invoices) == limit {
			return nil
		}
		invoice = &Invoice{Number: number, Date: row[4], Customer: customer}
		byNumber[number] = invoice
		s.Invoices = append(s.Invoices, invoice)
		if !slices.Contains(s.Customers, customer) {
			s.Customers = append(s.Customers, customer)
		}
	}
	if customer != invoice.Customer {
		return fmt.Errorf("invoice %s is of customer %q, not %q", number, invoice.Customer, customer)
	}
	invoice.Lines = append(invoice.Lines, line)
	return nil
}

// total is count times price. Numbers whose product might be rounded are an error: a fractional count, or a price of
// more than four digits.
func (l Line) total() (*big.Rat, error) {
	count, err := exact(l.Count)
	if err != nil {
		return nil, fmt.Errorf("the quantity: %w", err)
	}
	price, err := exact(l.Price)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the price: %w", err)
	case !count.IsInt():
		return nil, fmt.Errorf("the quantity %s is not whole", l.Count)
	case !new(big.Rat).Mul(price, big.NewRat(10_000, 1)).IsInt():
		return nil, fmt.Errorf("the price %s has more than four digits", l.Price)
	}
	return count.Mul(count, price), nil
}

// exact is a decimal number without loss.
func exact(text string) (*big.Rat, error) {
	number, ok := new(big.Rat).SetString(text)
	if !ok || strings.Trim(text, "+-.0123456789") != "" {
		return nil, fmt.Errorf("%q is no decimal number", text)
	}
	return number, nil
}

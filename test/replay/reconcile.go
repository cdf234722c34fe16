package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
)

// Reconcile reads all clients, invoices and lines back through the lists, and
// returns what was found and every way in which it differs from the sales.
func Reconcile(ctx context.Context, c *Caller, sales *Sales, progress Progress) (Tally, []string, error) {
	l := newLedger(sales)
	for _, list := range []struct {
		name string
		read func(ctx context.Context, c *Caller, done func(int)) (total int, err error)
		want int
	}{
		{"clients", l.readClients, l.want.Clients},
		{"invoices", l.readInvoices, l.want.Invoices},
		{"lines", l.readLines, l.want.Lines},
	} {
		total, err := list.read(ctx, c, progress("reading "+list.name, list.want))
		if err != nil {
			return Tally{}, nil, err
		}
		l.compare("the total count of "+list.name, total, list.want)
	}
	l.close()
	return l.found, l.differences, nil
}

// ledger holds what is read against what was sent.
type ledger struct {
	want, found Tally
	linesTotal  *big.Rat
	clients     map[string]bool    // by name: whether it was read
	invoices    map[string]*posted // by number
	byID        map[int64]*posted
	differences []string
}

// posted is an invoice that was sent, and how far it was found.
type posted struct {
	*Invoice
	found bool
	lines int
}

func newLedger(sales *Sales) *ledger {
	l := &ledger{
		want:       sales.Tally(),
		found:      Tally{Total: new(big.Rat)},
		linesTotal: new(big.Rat),
		clients:    map[string]bool{},
		invoices:   map[string]*posted{},
		byID:       map[int64]*posted{},
	}
	for _, customer := range sales.Customers {
		l.clients[clientName(customer)] = false
	}
	for _, i := range sales.Invoices {
		l.invoices[i.Number] = &posted{Invoice: i}
	}
	return l
}

func (l *ledger) differ(format string, args ...any) {
	l.differences = append(l.differences, fmt.Sprintf(format, args...))
}

func (l *ledger) compare(what string, got, want any) {
	if got != want {
		l.differ("%s: %v, the file has %v", what, got, want)
	}
}

// amount is a number as it is shown; 0 if it is none.
func (l *ledger) amount(what, shown string) *big.Rat {
	amount, err := exactly(shown)
	if err != nil {
		l.differ("%s: %v", what, err)
		return new(big.Rat)
	}
	return amount
}

func (l *ledger) compareAmount(what string, got, want *big.Rat) {
	if got.Cmp(want) != 0 {
		l.differ("%s: %s, the file has %s", what, got.FloatString(6), want.FloatString(6))
	}
}

// The records as the lists show them.
type (
	clientRow struct {
		Name string
	}
	invoiceRow struct {
		ID         int64
		Number     string
		Date       string
		TotalCount int    `json:"total_count"`
		TotalPrice string `json:"total_price"`
		Company    clientRow
	}
	lineRow struct {
		InvoiceID  int64 `json:"invoice_id"`
		Name       string
		Count      json.Number
		Price      string
		TotalPrice string `json:"total_price"`
	}
)

func (l *ledger) readClients(ctx context.Context, c *Caller, done func(int)) (int, error) {
	return walk(ctx, c, "/rest/client", url.Values{"fields": {"name"}}, func(row clientRow) {
		done(1)
		l.client(row)
	})
}

func (l *ledger) readInvoices(ctx context.Context, c *Caller, done func(int)) (int, error) {
	query := url.Values{"fields": {"id,number,date,total_count,total_price,company.name"}, "expand": {"company"}}
	return walk(ctx, c, "/rest/invoice", query, func(row invoiceRow) {
		done(1)
		l.invoice(row)
	})
}

// readLines reads them by id: the lines of one invoice have ids in their order.
func (l *ledger) readLines(ctx context.Context, c *Caller, done func(int)) (int, error) {
	query := url.Values{"fields": {"invoice_id,name,count,price,total_price"}, "sort": {"id"}}
	return walk(ctx, c, "/rest/invoice-items", query, func(row lineRow) {
		done(1)
		l.line(row)
	})
}

func (l *ledger) client(row clientRow) {
	l.found.Clients++
	read, known := l.clients[row.Name]
	if !known || read {
		l.differ("client %q: not in the file, or read before", row.Name)
		return
	}
	l.clients[row.Name] = true
}

func (l *ledger) invoice(row invoiceRow) {
	what := "invoice " + row.Number
	total := l.amount(what+": total_price", row.TotalPrice)
	l.found.Invoices++
	l.found.Total.Add(l.found.Total, total)
	p, known := l.invoices[row.Number]
	if !known || p.found {
		l.differ("%s: not in the file, or read before", what)
		return
	}
	p.found = true
	l.byID[row.ID] = p
	l.compare(what+": date", row.Date, p.Date)
	l.compare(what+": client", row.Company.Name, clientName(p.Customer))
	l.compare(what+": total_count", row.TotalCount, len(p.Lines))
	l.compareAmount(what+": total_price", total, p.Total())
}

func (l *ledger) line(row lineRow) {
	what := fmt.Sprintf("invoice id %d", row.InvoiceID)
	total := l.amount(what+": a line's total_price", row.TotalPrice)
	l.found.Lines++
	l.linesTotal.Add(l.linesTotal, total)
	p, known := l.byID[row.InvoiceID]
	if !known || p.lines == len(p.Lines) {
		l.differ("%s: has a line that is not in the file", what)
		return
	}
	want := p.Lines[p.lines]
	p.lines++
	what = fmt.Sprintf("invoice %s, line %d", p.Number, p.lines)
	l.compare(what+": name", row.Name, want.Name)
	l.compareAmount(what+": count", l.amount(what, row.Count.String()), must(exactly(want.Count)))
	l.compareAmount(what+": price", l.amount(what, row.Price), must(exactly(want.Price)))
	l.compareAmount(what+": total_price", total, want.Total())
}

// close compares what is known only at the end.
func (l *ledger) close() {
	for name, read := range l.clients {
		if !read {
			l.differ("client %q: missing", name)
		}
	}
	for number, p := range l.invoices {
		switch {
		case !p.found:
			l.differ("invoice %s: missing", number)
		case p.lines < len(p.Lines):
			l.differ("invoice %s: %d lines, the file has %d", number, p.lines, len(p.Lines))
		}
	}
	l.compare("clients", l.found.Clients, l.want.Clients)
	l.compare("invoices", l.found.Invoices, l.want.Invoices)
	l.compare("lines", l.found.Lines, l.want.Lines)
	l.compare("the sum of total_price of all invoices", l.found.Total.FloatString(4), l.want.Total.FloatString(4))
	l.compare("the sum of total_price of all lines", l.linesTotal.FloatString(4), l.want.Total.FloatString(4))
}

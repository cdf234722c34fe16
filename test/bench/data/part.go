package data

import (
	"iter"

	"github.com/kontor-crm/kontor/domain/invoice"
)

// A part is the records of clients from one number up to another, and as large a
// part of everything else.
type part struct {
	from, to counts
}

// partClients is how many clients a part has, so that the invoices of one are
// soon made and take little memory.
const partClients = 1000

// parts are the whole books.
func (b *Books) parts() (parts []part) {
	for from := uint64(0); from < b.count.clients; from += partClients {
		to := min(from+partClients, b.count.clients)
		parts = append(parts, part{from: countsFor(from), to: countsFor(to)})
	}
	return parts
}

// A sheet is rows of one table, by ascending id.
type sheet struct {
	table string
	rows  iter.Seq2[row, error]
}

// A stage is tables that refer to those of earlier stages only, or to one
// another within a part.
type stage struct {
	name   string
	rows   uint64
	sheets func(part) ([]sheet, error)
}

// stages are all tables but the reference lists.
func (b *Books) stages() []stage {
	n := b.count
	return []stage{
		{"clients", n.clients, b.clientSheets},
		{"deals", n.deals, b.dealSheets},
		{"contacts", n.contacts, b.contactSheets},
		{"offers, contracts", n.offers + n.contracts, b.documentSheets},
		{"invoices", n.invoices + n.lines + n.history, b.invoiceSheets},
	}
}

func (b *Books) clientSheets(p part) ([]sheet, error) {
	return []sheet{{"clients", rowsOf(p.from.clients, p.to.clients, b.client, clientRow)}}, nil
}

func (b *Books) dealSheets(p part) ([]sheet, error) {
	return []sheet{{"deals", rowsOf(p.from.deals, p.to.deals, b.deal, dealRow)}}, nil
}

func (b *Books) contactSheets(p part) ([]sheet, error) {
	return []sheet{{"contacts", rowsOf(p.from.contacts, p.to.contacts, b.contact, contactRow)}}, nil
}

func (b *Books) documentSheets(p part) ([]sheet, error) {
	return []sheet{
		{"offers", rowsOf(p.from.offers, p.to.offers, b.offer, documentRow)},
		{"contracts", rowsOf(p.from.contracts, p.to.contracts, b.contract, documentRow)},
	}, nil
}

// invoiceSheets makes the invoices of a part once for the three tables.
func (b *Books) invoiceSheets(p part) ([]sheet, error) {
	made := make([]invoice.State, 0, p.to.invoices-p.from.invoices)
	for n := p.from.invoices; n < p.to.invoices; n++ {
		s, err := b.invoice(n)
		if err != nil {
			return nil, err
		}
		made = append(made, s)
	}
	return []sheet{
		{"invoices", func(yield func(row, error) bool) {
			for _, s := range made {
				if !yield(invoiceRow(s), nil) {
					return
				}
			}
		}},
		{"invoice_lines", lineRows(made)},
		{"deal_history", b.historyRows(p, made)},
	}, nil
}

func lineRows(made []invoice.State) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		for _, s := range made {
			for _, l := range s.Lines {
				if !yield(lineRow(s.ID, l), nil) {
					return
				}
			}
		}
	}
}

// historyRows are the entries that the service would have written: one for each
// deal that is opened, and one for each invoice. To every client there are two
// deals and three invoices, which alternate: an invoice's deal comes before it.
func (b *Books) historyRows(p part, made []invoice.State) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		id := int64(p.from.history)
		enter := func(r row) bool {
			id++
			r[0] = id
			return yield(r, nil)
		}
		for c := p.from.clients; c < p.to.clients; c++ {
			of := made[3*(c-p.from.clients):]
			if !enter(b.opening(2*c)) || !enter(b.issue(of[0])) || !enter(b.issue(of[1])) ||
				!enter(b.opening(2*c+1)) || !enter(b.issue(of[2])) {
				return
			}
		}
	}
}

// rowsOf makes the records numbered from one up to another, one by one.
func rowsOf[S any](from, to uint64, record func(uint64) (S, error), asRow func(S) row) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		for n := from; n < to; n++ {
			s, err := record(n)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(asRow(s), nil) {
				return
			}
		}
	}
}

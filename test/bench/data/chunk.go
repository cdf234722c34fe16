package data

import (
	"iter"

	"github.com/kontor-crm/kontor/domain/invoice"
)

// A chunk is the clients from one number up to another, and the same share of
// every other kind of record.
type chunk struct {
	from, to counts
}

// chunkClients is how many clients a chunk has: few, because its invoices are
// held in memory.
const chunkClients = 250

// chunks are all records.
func (b *Company) chunks() (chunks []chunk) {
	for from := uint64(0); from < b.count.clients; from += chunkClients {
		to := min(from+chunkClients, b.count.clients)
		chunks = append(chunks, chunk{from: countsFor(from), to: countsFor(to)})
	}
	return chunks
}

// tableRows is rows of one table, by ascending id.
type tableRows struct {
	table string
	rows  iter.Seq2[row, error]
}

// A stage is tables that reference tables of earlier stages only, or one another
// within a chunk.
type stage struct {
	name   string
	tables func(chunk) ([]tableRows, error)
}

// stages are all tables but the reference lists.
func (b *Company) stages() []stage {
	return []stage{
		{"clients", b.clientTables},
		{"deals", b.dealTables},
		{"contacts", b.contactTables},
		{"offers, contracts", b.documentTables},
		{"invoices", b.invoiceTables},
	}
}

func (b *Company) clientTables(p chunk) ([]tableRows, error) {
	return []tableRows{{"clients", rowsOf(p.from.clients, p.to.clients, b.client, clientRow)}}, nil
}

func (b *Company) dealTables(p chunk) ([]tableRows, error) {
	return []tableRows{{"deals", rowsOf(p.from.deals, p.to.deals, b.deal, dealRow)}}, nil
}

func (b *Company) contactTables(p chunk) ([]tableRows, error) {
	return []tableRows{{"contacts", rowsOf(p.from.contacts, p.to.contacts, b.contact, contactRow)}}, nil
}

func (b *Company) documentTables(p chunk) ([]tableRows, error) {
	return []tableRows{
		{"offers", rowsOf(p.from.offers, p.to.offers, b.offer, documentRow)},
		{"contracts", rowsOf(p.from.contracts, p.to.contracts, b.contract, documentRow)},
	}, nil
}

// invoiceTables makes the invoices of a chunk once for the three tables.
func (b *Company) invoiceTables(p chunk) ([]tableRows, error) {
	made := make([]invoice.State, 0, p.to.invoices-p.from.invoices)
	for n := p.from.invoices; n < p.to.invoices; n++ {
		s, err := b.invoice(n)
		if err != nil {
			return nil, err
		}
		made = append(made, s)
	}
	return []tableRows{
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
// deal, and one for each invoice. For each client there are two deals and three
// invoices, which alternate: an invoice follows its deal.
func (b *Company) historyRows(p chunk, made []invoice.State) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		id := int64(p.from.history)
		add := func(r row) bool {
			id++
			r[0] = id
			return yield(r, nil)
		}
		for c := p.from.clients; c < p.to.clients; c++ {
			of := made[3*(c-p.from.clients):]
			if !add(b.creationEntry(2*c)) || !add(b.invoiceEntry(of[0])) || !add(b.invoiceEntry(of[1])) ||
				!add(b.creationEntry(2*c+1)) || !add(b.invoiceEntry(of[2])) {
				return
			}
		}
	}
}

// rowsOf makes the records from one number up to another, one by one.
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

package chaos

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// WriteLog records the attempted writes and their responses.
type WriteLog struct {
	// Tried counts the writes, Acknowledged those with a successful response, be it to
	// a repetition, and Unknown the attempts without a response or with one that
	// leaves the outcome open.
	Tried, Acknowledged, Unknown atomic.Int64

	mu       sync.Mutex
	clients  map[string]clientState   // by name
	invoices map[string]*invoiceState // by number
	issued   map[int64]string         // acknowledged numbers by invoice
	credited []int64                  // invoices with both credit notes acknowledged
}

// clientState is the known state of a client.
type clientState int

const (
	pending  clientState = iota // no attempt had a response
	created                     // acknowledged
	deleting                    // acknowledged, with its deletion under way
	deleted                     // its deletion is acknowledged
)

// invoiceState is the known state of an invoice.
type invoiceState struct {
	created bool
	lines   map[string]bool // by name: whether its creation is acknowledged
	paid    bool            // the payment is acknowledged
}

func newWriteLog() *WriteLog {
	return &WriteLog{clients: map[string]clientState{}, invoices: map[string]*invoiceState{}, issued: map[int64]string{}}
}

func (b *WriteLog) client(name string, o clientState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clients[name] = o
}

// invoice updates the state of the invoice.
func (b *WriteLog) invoice(number string, change func(s *invoiceState)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.invoices[number]
	if s == nil {
		s = &invoiceState{lines: map[string]bool{}}
		b.invoices[number] = s
	}
	change(s)
}

func (b *WriteLog) issue(invoice int64, number string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.issued[invoice] = number
}

func (b *WriteLog) creditWhole(invoice int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.credited = append(b.credited, invoice)
}

// Report is the result of a run.
type Report struct {
	ServiceKills, DatabaseKills    int
	Tried, Acknowledged, Unknown   int64
	Lost, Duplicated, Inconsistent []string // descriptions
	Issued, Credited               int64    // invoices and credit notes with a number
	LongestOutage                  float64  // seconds from a kill until the service was ready again
}

// String lists the figures, one per line.
func (r Report) String() string {
	return fmt.Sprintf(`service kills: %d
database kills: %d
writes tried: %d
writes acknowledged: %d
attempts of unknown outcome: %d
invoices issued: %d
credit notes issued: %d
records lost: %d
records duplicated: %d
records inconsistent: %d
longest outage in seconds: %.2f
`, r.ServiceKills, r.DatabaseKills, r.Tried, r.Acknowledged, r.Unknown, r.Issued, r.Credited, len(r.Lost), len(r.Duplicated), len(r.Inconsistent), r.LongestOutage)
}

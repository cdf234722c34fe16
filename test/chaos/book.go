package chaos

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
)

// Book is what writers tried, and what they were told.
type Book struct {
	// Tried are the writes that were begun, Acknowledged those that were answered
	// with success, be it at a repetition, and Unknown the attempts that got no
	// answer or one that leaves it open.
	Tried, Acknowledged, Unknown atomic.Int64

	mu       sync.Mutex
	repeated map[int]int64      // attempts without success by status, 0 without an answer
	clients  map[string]outcome // by name
	invoices map[string]*sheet  // by number
}

// outcome is what is known of a record that was to be created.
type outcome int

const (
	open    outcome = iota // no attempt was answered
	created                // one was answered with success
	leaving                // it was created, and its deletion is under way
	removed                // its deletion was answered with success
)

// sheet is what is known of an invoice.
type sheet struct {
	created bool
	lines   map[string]bool // by name: whether its creation was answered with success
	paid    bool            // the payment was answered with success
}

func newBook() *Book {
	return &Book{repeated: map[int]int64{}, clients: map[string]outcome{}, invoices: map[string]*sheet{}}
}

// again notes an attempt without success.
func (b *Book) again(status int) {
	b.Unknown.Add(1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.repeated[status]++
}

// Repeated is the attempts without success by status, 0 for those without an answer.
func (b *Book) Repeated() map[int]int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.repeated)
}

func (b *Book) client(name string, o outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clients[name] = o
}

// invoice changes what is known of the invoice.
func (b *Book) invoice(number string, change func(s *sheet)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.invoices[number]
	if s == nil {
		s = &sheet{lines: map[string]bool{}}
		b.invoices[number] = s
	}
	change(s)
}

// Report is what a run came to.
type Report struct {
	ServiceKills, DatabaseKills  int
	Tried, Acknowledged, Unknown int64
	Lost, Doubled, Broken        []string // what is wrong, in words
	LongestOutage                float64  // seconds from a kill until the service was ready again
}

// String is the figures, one in a line.
func (r Report) String() string {
	return fmt.Sprintf(`service kills: %d
database kills: %d
writes tried: %d
writes acknowledged: %d
attempts of unknown outcome: %d
records lost: %d
records doubled: %d
records broken: %d
longest outage in seconds: %.2f
`, r.ServiceKills, r.DatabaseKills, r.Tried, r.Acknowledged, r.Unknown, len(r.Lost), len(r.Doubled), len(r.Broken), r.LongestOutage)
}

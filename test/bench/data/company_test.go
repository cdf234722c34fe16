package data

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func company(t *testing.T, clients int, seed uint64, v Variant) *Company {
	t.Helper()
	b, err := New(Options{Clients: clients, Seed: seed, Variant: v})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rowsIn are all rows, by table.
func rowsIn(t *testing.T, b *Company, chunks []chunk) map[string][]row {
	t.Helper()
	all := map[string][]row{}
	for _, stage := range b.stages() {
		for _, p := range chunks {
			tables, err := stage.tables(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range tables {
				for r, err := range s.rows {
					if err != nil {
						t.Fatal(err)
					}
					all[s.table] = append(all[s.table], r)
				}
			}
		}
	}
	return all
}

// column is the values of one column.
func column[T any](t *testing.T, rows map[string][]row, table, name string) []T {
	t.Helper()
	place := slices.Index(columns[table], name)
	if place < 0 {
		t.Fatalf("%s has no column %s", table, name)
	}
	var values []T
	for _, r := range rows[table] {
		value, _ := r[place].(T) // null is the zero value
		values = append(values, value)
	}
	return values
}

func TestRowsHaveTheirProportions(t *testing.T) {
	b := company(t, 480, 1, Spread)
	rows := rowsIn(t, b, b.chunks())
	for table, want := range map[string]int{
		"clients": 480, "deals": 960, "contacts": 720, "offers": 288, "contracts": 120,
		"invoices": 1440, "invoice_lines": 4320, "deal_history": 960 + 1440,
	} {
		for i, id := range column[int64](t, rows, table, "id") {
			if id != int64(i+1) {
				t.Fatalf("the id of row %d of %s is %d", i+1, table, id)
			}
		}
		if got := len(rows[table]); got != want {
			t.Errorf("%s has %d rows, want %d", table, got, want)
		}
	}
	var announced uint64
	for _, s := range b.stages() {
		announced += s.rows
	}
	if made := len(slices.Concat(slices.Collect(maps.Values(rows))...)); announced != uint64(made) {
		t.Errorf("%d rows are announced and %d made", announced, made)
	}
}

func TestInvoiceLineIdsAreConsecutive(t *testing.T) {
	b := company(t, 101, 3, Spread)
	next := int64(1)
	for n := range b.count.invoices {
		s, err := b.invoice(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range s.Lines {
			if int64(l.ID) != next {
				t.Fatalf("a line of invoice %d has the id %d, want %d", s.ID, l.ID, next)
			}
			next++
		}
	}
	if uint64(next-1) != b.count.lines {
		t.Errorf("%d lines, want %d", next-1, b.count.lines)
	}
}

func TestClientsAndInvoicesAreSkewed(t *testing.T) {
	const clients = 20_000
	b := company(t, clients, 1, Spread)
	owned, billed := map[any]int{}, map[any]int{}
	for n := range b.count.clients {
		owned[b.owner(n)]++
	}
	for n := range b.count.invoices {
		d := b.random(ofInvoice, n)
		billed[b.dealSummary(b.dealAt(&d, b.moment(ofInvoice, n, b.count.invoices))).client]++
	}
	biggest := func(counts map[any]int) int { return slices.Max(slices.Collect(maps.Values(counts))) }
	if got := float64(biggest(owned)) / clients; got < 0.11 || got > 0.135 {
		t.Errorf("the biggest user has %.3f of the clients, want about 0.12", got)
	}
	if got := float64(biggest(billed)) / clients; got < 0.008 || got > 0.014 {
		t.Errorf("the biggest client has %.4f invoices to each client there is, want about 0.011", got)
	}
	if len(owned) != writers {
		t.Errorf("%d users own clients, want %d", len(owned), writers)
	}
	if got := float64(len(billed)) / clients; got < 0.4 || got > 0.8 {
		t.Errorf("%.2f of the clients have invoices, want about half", got)
	}
}

func TestClientNamesContainRareAndCommonWords(t *testing.T) {
	for _, clients := range []int{100, 333, 20_000} {
		names := namesIn(t, company(t, clients, 2, Spread))
		if got := containing(names, RareWord); got != 25 {
			t.Errorf("%d of %d clients have the rare word, want 25", got, clients)
		}
		if got := containing(names, OldWord); got != 0 {
			t.Errorf("%d of %d clients have the old word, want none", got, clients)
		}
		if got := containing(names, CommonWord) * 100 / clients; clients == 20_000 && got != 4 {
			t.Errorf("%d %% of the clients have the common word, want 4", got)
		}
	}
}

func TestBunchedVariantPutsOldWordIntoOldestNames(t *testing.T) {
	names := namesIn(t, company(t, 500, 2, Bunched))
	if got := containing(names[:20], OldWord); got != 20 {
		t.Errorf("%d of the oldest 20 clients have the word, want all", got)
	}
	if got := containing(names[20:], OldWord); got != 0 {
		t.Errorf("%d later clients have the word, want none", got)
	}
}

func namesIn(t *testing.T, b *Company) (names []string) {
	t.Helper()
	for n := range b.count.clients {
		s, err := b.client(n)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, s.Name)
	}
	return names
}

func containing(names []string, word string) (n int) {
	for _, name := range names {
		if strings.Contains(name, word) {
			n++
		}
	}
	return n
}

func TestBunchedVariantHasHalfOfTheInvoicesInOneMonth(t *testing.T) {
	const month = "2006-01"
	for variant, within := range map[Variant][2]float64{Spread: {0.01, 0.04}, Bunched: {0.45, 0.55}} {
		b := company(t, 500, 1, variant)
		rows := rowsIn(t, b, b.chunks())
		for _, name := range []string{"date", "created_on"} {
			months := map[string]float64{}
			for _, at := range column[time.Time](t, rows, "invoices", name) {
				months[at.Format(month)] += 1 / float64(b.count.invoices)
			}
			if got := slices.Max(slices.Collect(maps.Values(months))); got < within[0] || got > within[1] {
				t.Errorf("%s: %.2f of the invoices have their %s in one month, want %v", variant, got, name, within)
			}
			if got := months[BusyMonth.Format(month)]; variant == Bunched && got < within[0] {
				t.Errorf("%.2f of the invoices have their %s in the busy month", got, name)
			}
			if len(months) < 60 {
				t.Errorf("%s: the invoices have their %s in %d months, want most of six years", variant, name, len(months))
			}
		}
	}
}

// An intended change of the rows needs new checksums here.
func TestRowsDependOnSeedOnly(t *testing.T) {
	for _, test := range []struct {
		seed    uint64
		variant Variant
		want    string
	}{
		{1, Spread, "e62470ce532723b2"},
		{1, Bunched, "220b80d334b88c1a"},
		{2, Spread, "a64b037ee8402a0f"},
	} {
		b := company(t, 301, test.seed, test.variant)
		if got := checksum(t, b, b.chunks()); got != test.want {
			t.Errorf("seed %d, %s: the checksum is %s, want %s", test.seed, test.variant, got, test.want)
		}
	}
}

func TestRowsDoNotDependOnChunks(t *testing.T) {
	b := company(t, 301, 1, Spread)
	var small []chunk
	for from := uint64(0); from < 301; from += 7 {
		small = append(small, chunk{from: countsFor(from), to: countsFor(from + 7)})
	}
	if whole, chunked := checksum(t, b, b.chunks()), checksum(t, b, small); whole != chunked {
		t.Errorf("the checksum is %s in one run and %s in chunks", whole, chunked)
	}
}

// checksum covers all rows and the reference lists.
func checksum(t *testing.T, b *Company, chunks []chunk) string {
	t.Helper()
	sum := sha256.New()
	for _, u := range b.users {
		fmt.Fprintln(sum, u.State())
	}
	for _, p := range b.performers {
		fmt.Fprintln(sum, p.State())
	}
	rows := rowsIn(t, b, chunks)
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		for _, r := range rows[table] {
			fmt.Fprintln(sum, r...)
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

func TestOptionsAreValidated(t *testing.T) {
	for _, o := range []Options{
		{Clients: MinClients - 1, Variant: Spread},
		{Clients: MaxClients + 1, Variant: Spread},
		{Clients: MinClients},
		{Clients: MinClients, Variant: "scattered"},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

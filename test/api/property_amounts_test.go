package api_test

import (
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// contract 10.24, 10.75, 10.78, 10.81, 10.82, 10.83, 10.84, 10.85, 10.87, 10.88, 3.29
func TestPropertyInvoiceAmountsAgreeEverywhere(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	number := 0
	rapid.Check(t, func(t *rapid.T) {
		in := s.within(t)
		b := &billing{manager: in.as("manager"), percent: "0"}
		charged := rapid.OneOf(rapid.SampledFrom([]string{"0", "50", "100"}), rapid.StringMatching(`[0-9]{1,2}\.[0-9]{2}`)).Draw(t, "percent")
		isCharged := rapid.Bool().Draw(t, "VAT is charged")
		if isCharged {
			b.percent = charged
		}
		in.as("admin").put("/rest/performer/1", fields{"vat_use": isCharged, "vat_percent": charged}).wants(http.StatusOK)
		number++
		lines := rapid.SliceOfN(rapid.Custom(drawPosition), 0, 5).Draw(t, "lines")
		if !b.creates(fmt.Sprint("draw", number, "."), lines) {
			return
		}
		b.agrees()
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			b.changes(t)
			b.agrees()
		}
	})
}

// position is a line as it is sent.
type position struct {
	count, price string
	claim        string // of the line's price; "" for none
}

func drawPosition(t *rapid.T) position {
	// Together they have 16 digits before the point, at most: one too many.
	whole := rapid.IntRange(0, 12).Draw(t, "digits of price")
	p := position{price: drawDecimal(t, "price", whole, 4), count: drawDecimal(t, "count", rapid.IntRange(0, min(12, 16-whole)).Draw(t, "digits of count"), 6)}
	switch rapid.IntRange(0, 9).Draw(t, "special") {
	case 7, 8: // often in the middle between two amounts
		p.count = rapid.SampledFrom([]string{"0.5", "-0.5", "2.5", "0.05"}).Draw(t, "half")
	case 9: // near to the largest amount
		p.count, p.price = "999999999999", rapid.SampledFrom([]string{"1000", "-1000", "500", "999.9999"}).Draw(t, "large")
	}
	off := rapid.SampledFrom([]string{"", "", "", "0", "0.005", "-0.005", "0.00500001", "-0.0051", "3"}).Draw(t, "claim off by")
	if total := p.total(t); off != "" && new(big.Rat).Abs(total).Cmp(big.NewRat(1e14, 1)) < 0 {
		p.claim = new(big.Rat).Add(total, exactly(t, off)).FloatString(8)
	}
	return p
}

// drawDecimal draws a number of at most so many digits before and behind the
// point.
func drawDecimal(t *rapid.T, name string, whole, behind int) string {
	digits := func(part string, n int) string {
		return rapid.StringOfN(rapid.RuneFrom([]rune("0123456789")), n, n, -1).Draw(t, name+part)
	}
	sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, name+" sign")
	return sign + "0" + digits(" whole", whole) + "." + digits(" fraction", rapid.IntRange(0, behind).Draw(t, name+" fraction digits")) + "0"
}

func exactly(t rapid.TB, decimal string) *big.Rat {
	r, ok := new(big.Rat).SetString(decimal)
	if !ok {
		t.Fatalf("%q is no number", decimal)
	}
	return r
}

// total is the price of the line to four digits, halves away from zero.
func (p position) total(t rapid.TB) *big.Rat {
	return exactly(t, rounded(new(big.Rat).Mul(exactly(t, p.count), exactly(t, p.price))))
}

// fits tells whether the amount can be kept.
func fits(amount *big.Rat) bool { return new(big.Rat).Abs(amount).Cmp(big.NewRat(1e15, 1)) < 0 }

// wrong names what is wrong with the line.
func (p position) wrong(t rapid.TB) string {
	total := p.total(t)
	switch {
	case exactly(t, p.count).Sign() == 0:
		return "items_count"
	case !fits(total), p.claim != "" && new(big.Rat).Abs(new(big.Rat).Sub(exactly(t, p.claim), total)).Cmp(big.NewRat(5, 1000)) > 0:
		return p.priceField()
	}
	return ""
}

// priceField is what the price of the line is called in a refusal.
func (p position) priceField() string {
	if p.claim != "" {
		return "items_total_price"
	}
	return "total_price"
}

func (p position) body() fields {
	body := goods("x", p.count, p.price)
	if p.claim != "" {
		body["items_total_price"] = p.claim
	}
	return body
}

// billing is one invoice and what the test knows of it.
type billing struct {
	manager *caller
	percent string
	deal    string // its own, so that a list can be narrowed to it
	id      string
	lines   []position
	lineIDs []string
}

// tooMuch tells whether the amounts of an invoice with these lines cannot be kept.
func (b *billing) tooMuch(lines []position) bool {
	t := b.manager.s.t
	sum := new(big.Rat)
	for _, p := range lines {
		sum.Add(sum, p.total(t))
	}
	vat := exactly(t, rounded(new(big.Rat).Quo(new(big.Rat).Mul(sum, exactly(t, b.percent)), big.NewRat(100, 1))))
	return !fits(sum) || !fits(vat) || !fits(new(big.Rat).Add(sum, vat))
}

// creates creates the invoice, and tells whether it could.
func (b *billing) creates(number string, lines []position) bool {
	t := b.manager.s.t
	t.Helper()
	want, expected := []string{}, []string{}
	var items []fields
	for i, p := range lines {
		items = append(items, p.body())
		field := p.wrong(t)
		if field != "" {
			want = append(want, fmt.Sprintf("items[%d].%s", i, field))
		}
		if total := p.total(t); field == "items_total_price" && fits(total) {
			expected = append(expected, "must be "+total.FloatString(4))
		}
	}
	if len(want) == 0 && b.tooMuch(lines) {
		want = append(want, "items")
	}
	r := b.manager.post("/rest/invoice?expand=items", bill(fields{"number": number, "items": items}))
	if len(want) == 0 {
		record := r.record()
		b.id, b.deal, b.lines = text(record["id"]), text(record["deal_id"]), lines
		return true
	}
	// That the rest would be too much as well is said, or not.
	if got := slices.DeleteFunc(r.blames(), func(name string) bool { return name == "items" && want[0] != "items" }); !slices.Equal(got, want) {
		t.Errorf("blames %v, want %v: %s", got, want, r.body)
	}
	for _, hint := range expected {
		if !strings.Contains(r.body, hint) {
			t.Errorf("nothing tells what the price %s: %s", hint, r.body)
		}
	}
	if n := b.manager.get("/rest/invoice?fields=id&number=" + number).header.Get("X-Pagination-Total-Count"); n != "0" {
		t.Errorf("a refused invoice is there: %s", r.body)
	}
	return false
}

// changes adds, changes or removes a line.
func (b *billing) changes(t *rapid.T) {
	lines := slices.Clone(b.lines)
	p := drawPosition(t)
	field := p.wrong(t)
	var r *reply
	switch at := rapid.IntRange(0, len(lines)).Draw(t, "line"); {
	case at == len(lines):
		lines = append(lines, p)
		r = b.manager.post("/rest/invoice-items", fieldsWith(fields{"invoice_id": b.id}, p.body()))
	case rapid.Bool().Draw(t, "removed"):
		lines, p, field = slices.Delete(lines, at, at+1), position{}, ""
		r = b.manager.delete("/rest/invoice-items/" + b.lineIDs[at])
	default:
		lines[at] = p
		r = b.manager.put("/rest/invoice-items/"+b.lineIDs[at], p.body())
	}
	if field == "" && b.tooMuch(lines) {
		field = p.priceField() // a sum that is too much is the fault of the line that came last
	}
	if field == "" {
		r.wants(http.StatusOK)
		b.lines = lines
		return
	}
	if got := r.blames(); !slices.Contains(got, field) {
		t.Errorf("blames %v, want %s: %s", got, field, r.body)
	}
}

// agrees checks what is shown of the invoice, wherever it is shown, against the
// lines that were sent.
func (b *billing) agrees() {
	t := b.manager.s.t
	t.Helper()
	read, list, lines := "/rest/invoice/"+b.id+"?expand=items", "/rest/invoice?expand=items&deal_id="+b.deal, "/rest/invoice-items?per_page=500&invoice_id="+b.id

	record := b.manager.get(read).record()
	addsUp(t, record, b.percent)
	items := record["items"].([]any)
	if len(items) != len(b.lines) {
		t.Fatalf("%d lines are shown, want %d", len(items), len(b.lines))
	}
	b.lineIDs = nil
	for i, item := range items {
		line := item.(map[string]any)
		b.lineIDs = append(b.lineIDs, text(line["id"]))
		for name, sent := range map[string]string{"count": b.lines[i].count, "price": b.lines[i].price} {
			if got := text(line[name]); exactly(t, got).Cmp(exactly(t, sent)) != 0 {
				t.Errorf("line %d: %s is %s, sent as %s", i, name, got, sent)
			}
		}
	}

	asXML := b.manager.with("Accept", "application/xml")
	want := flat("[0]", record)
	for what, got := range map[string]map[string]string{
		"read as XML":   asXML.get(read).flatXML("[0]"),
		"listed":        b.manager.get(list).flatItems(),
		"listed as XML": asXML.get(list).flatXML(""),
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("invoice %s, %s, is another: %s", b.id, what, diff)
		}
	}
	want = flat("", items)
	for what, got := range map[string]map[string]string{"JSON": b.manager.get(lines).flatItems(), "XML": asXML.get(lines).flatXML("")} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the lines of invoice %s, listed as %s, are others: %s", b.id, what, diff)
		}
	}
}

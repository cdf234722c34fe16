package api_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rat returns a decimal as an exact fraction.
func rat(t testing.TB, s string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return r
}

// rounded returns the fraction with four digits, halves away from zero, computed with
// integers only.
func rounded(r *big.Rat) string {
	units := new(big.Int).Mul(new(big.Int).Abs(r.Num()), big.NewInt(20_000))
	units.Add(units, r.Denom()).Quo(units, new(big.Int).Mul(r.Denom(), big.NewInt(2)))
	digits := fmt.Sprintf("%05s", units.String())
	amount := digits[:len(digits)-4] + "." + digits[len(digits)-4:]
	if r.Sign() < 0 && units.Sign() != 0 {
		return "-" + amount
	}
	return amount
}

// addsUp checks the totals of an invoice that is shown with its lines.
func addsUp(t testing.TB, record map[string]any, percent string) {
	t.Helper()
	total := new(big.Rat)
	lines := record["items"].([]any)
	for _, each := range lines {
		line := each.(map[string]any)
		price := rounded(new(big.Rat).Mul(rat(t, text(line["count"])), rat(t, text(line["price"]))))
		if got := text(line["total_price"]); got != price {
			t.Errorf("line %v: %v × %v is %s, want %s", line["id"], line["count"], line["price"], got, price)
		}
		total.Add(total, rat(t, price))
	}
	vat := rat(t, rounded(new(big.Rat).Quo(new(big.Rat).Mul(total, rat(t, percent)), big.NewRat(100, 1))))
	for name, want := range map[string]string{
		"total_count": fmt.Sprint(len(lines)), "total_price": rounded(total), "vat_price": rounded(vat), "pay_price": rounded(new(big.Rat).Add(total, vat)),
	} {
		if got := text(record[name]); got != want {
			t.Errorf("invoice %v: %s is %s, want %s", record["id"], name, got, want)
		}
	}
}

// contract 10.78, 10.81, 10.82, 10.84, 10.85, 10.87
func TestInvoiceAmountsAreExact(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	random := rand.New(rand.NewPCG(1, 2))
	number := func(digits int) string {
		whole := random.Int64N([]int64{1, 10, 1000, 10_000_000}[random.IntN(4)])
		return fmt.Sprintf("%s%d.%0*d1", []string{"", "-"}[random.IntN(2)], whole, digits-1, random.IntN(10))
	}
	for round := range 12 {
		percent := fmt.Sprintf("%d.%02d", random.IntN(100), random.IntN(100))
		s.as("admin").put("/rest/performer/1", fields{"vat_percent": percent}).wants(200)
		var lines []fields
		for i := range random.IntN(20) {
			lines = append(lines, goods(fmt.Sprint(i), number(6), number(4)))
		}
		record := manager.post("/rest/invoice?expand=items", bill(fields{"items": lines})).record()
		addsUp(t, record, percent)
		address := fmt.Sprintf("/rest/invoice/%s?expand=items", record["id"])
		if round%3 == 0 {
			manager.put(address, fields{"performer_id": 2}).wants(200)
			percent = "0"
		}
		manager.post("/rest/invoice-items", fields{"invoice_id": record["id"], "name": "more", "count": number(6), "price": number(4)}).wants(200)
		addsUp(t, manager.get(address).record(), percent)
	}
}

// contract 10.79, 10.80, 10.81, 10.88, 4.73, 4.74, 4.76, 10.7: the largest
// values.
func TestInvoiceLineLimitsAreStored(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	name, units := strings.Repeat("Ж", 65_535), strings.Repeat("ü", 255)
	record := manager.post("/rest/invoice?expand=items", bill(fields{"performer_id": 2, "number": strings.Repeat("9", 64), "date": "9999-12-31T23:59:59Z", "notice": name, "items": []fields{
		{"name": name, "units": units, "items_count": "999999999999.999999", "item_price": "999.9999"},
		goods("all", "-0.000001", "999999999999.9999"),
		goods("least", "0.000001", "0.0001"),
	}})).record()
	addsUp(t, record, "0")
	line := record["items"].([]any)[0].(map[string]any)
	if line["name"] != name || line["units"] != units || text(line["count"]) != "999999999999.999999" || line["price"] != "999.9999" || line["total_price"] != "999999899999999.9990" {
		t.Errorf("the largest line is shown as %.200v", line)
	}
	if got := []any{record["date"], record["total_price"]}; !cmp.Equal(got, []any{"9999-12-31 23:59:59", "999999898999999.9990"}) {
		t.Errorf("date and total are %v", got)
	}
	// With another line the sum is too large.
	if got := manager.post("/rest/invoice-items", fields{"invoice_id": 1, "name": "x", "count": "999999999999", "price": "999"}).wrongFields(); !cmp.Equal(got, []string{"total_price"}) {
		t.Errorf("wrong fields %v", got)
	}
}

// contract 10.84, 10.24, 10.62, 10.63
func TestInvoiceManyLinesKeepOrder(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	const size = 130
	lines := make([]fields, size)
	for i := range lines {
		lines[i] = goods(fmt.Sprintf("line %d", i), i+1, "2.55")
	}
	record := manager.post("/rest/invoice?expand=items", bill(fields{"items": lines})).record()
	addsUp(t, record, "20")
	items := record["items"].([]any)
	for i, each := range items {
		line := each.(map[string]any)
		if text(line["id"]) != fmt.Sprint(i+1) || line["name"] != fmt.Sprintf("line %d", i) {
			t.Fatalf("line %d is %v", i, line)
		}
	}
	// Half of the lines are removed, a quarter changes, and new ones replace the removed.
	var next []any
	for i := 0; i < size; i += 2 {
		line := fields{"id": i + 1}
		if i%4 == 0 {
			line["count"] = 1
		}
		next = append(next, line, goods("new", 1, i))
	}
	changed := manager.put("/rest/invoice/1?expand=items", fields{"items": next}).record()
	addsUp(t, changed, "20")
	if got := text(changed["total_count"]); got != fmt.Sprint(size) {
		t.Errorf("there are %s lines", got)
	}
	if n := s.count("invoice_lines", "version = 2"); n != (size+3)/4-1 { // the first had the count 1 before
		t.Errorf("%d lines have a new version", n)
	}
	if n := s.count("invoice_lines", "version = 1 and id <= 130"); n != size/2-(size+3)/4+1 {
		t.Errorf("%d lines kept their version", n)
	}
}

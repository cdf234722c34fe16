package api_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rat is a decimal as an exact fraction.
func rat(t testing.TB, s string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return r
}

// rounded is the fraction with four digits, halves away from zero, worked out
// with whole numbers alone.
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

// addsUp checks an invoice that is shown with its lines against amounts that are
// worked out here.
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

// contract 10.79, 10.80, 10.81, 10.88, 4.73, 4.74, 4.76, 10.7: the largest of
// everything.
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
	// One line more, and the sum is too much.
	if got := manager.post("/rest/invoice-items", fields{"invoice_id": 1, "name": "x", "count": "999999999999", "price": "999"}).blames(); !cmp.Equal(got, []string{"total_price"}) {
		t.Errorf("blames %v", got)
	}
}

// contract 10.82, 10.85: halves are rounded away from zero, on both sides.
func TestInvoiceAmountsRoundHalfAwayFromZero(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	s.as("admin").put("/rest/performer/1", fields{"vat_percent": "50"}).wants(200)
	for _, c := range []struct{ count, price, total, vat string }{
		{"0.5", "0.0001", "0.0001", "0.0001"},
		{"-0.5", "0.0001", "-0.0001", "-0.0001"},
		{"0.5", "0.0003", "0.0002", "0.0001"},
		{"0.499999", "0.0001", "0.0000", "0.0000"},
		{"1.000005", "100", "100.0005", "50.0003"},
		{"-1.000005", "100", "-100.0005", "-50.0003"},
	} {
		record := s.as("manager").post("/rest/invoice", bill(fields{"items": []fields{goods("x", c.count, c.price)}})).record()
		if got := []any{record["total_price"], record["vat_price"]}; !cmp.Equal(got, []any{c.total, c.vat}) {
			t.Errorf("%s × %s: total and VAT are %v, want %s and %s", c.count, c.price, got, c.total, c.vat)
		}
	}
}

// contract 10.84, 10.24, 10.62, 10.63: what a wholesaler sends.
func TestInvoiceThousandLinesKeepOrder(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	const size = 1114
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
	// Half of them go, a quarter changes, and as many new ones come.
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
	if n := s.count("invoice_lines", "version = 1 and id <= 1114"); n != size/2-(size+3)/4+1 {
		t.Errorf("%d lines kept their version", n)
	}
}

// contract 10.86, 6.47
func TestInvoiceKeepsPerformerVAT(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager, admin := s.as("manager"), s.as("admin")
	line := fields{"items": []fields{goods("a", 1, 100)}}
	manager.post("/rest/invoice", bill(line)).wants(200)
	for _, step := range []struct {
		performer fields // what changes of Kontor first
		path      string
		body      any
		vat       string
	}{
		{fields{"vat_percent": 10}, "/rest/invoice/1", fields{}, "20.0000"},
		{nil, "/rest/invoice/1", fields{"number": "R-2", "notice": "x", "date": "2024-04-01", "type_id": 2}, "20.0000"},
		{nil, "/rest/invoice/1", fields{"paid": true}, "20.0000"},
		{nil, "/rest/invoice/1", fields{"paid": false, "performer_id": 1}, "20.0000"},
		{nil, "/rest/invoice/1", fields{"items": []fields{{"id": 1}}}, "20.0000"},
		{nil, "/rest/invoice-items/1", fields{"count": 1}, "20.0000"},
		{nil, "/rest/invoice-items/1", fields{"units": "kg"}, "10.0000"},
		{fields{"vat_percent": 5}, "/rest/invoice/1", fields{"items": []fields{{"id": 1, "name": "b"}}}, "5.0000"},
		{nil, "/rest/invoice/1", fields{"performer_id": 2}, "0.0000"},
		{fields{"vat_percent": "7.5"}, "/rest/invoice/1", fields{"performer_id": 1}, "7.5000"},
		{fields{"vat_use": false}, "/rest/invoice/1", fields{"notice": "y"}, "7.5000"},
		{nil, "/rest/invoice/1", fields{"items": []fields{goods("c", 1, 100)}}, "0.0000"},
	} {
		if step.performer != nil {
			admin.put("/rest/performer/1", step.performer).wants(200)
		}
		manager.put(step.path, step.body).wants(200)
		record := manager.get("/rest/invoice/1").record()
		if got, want := []any{record["vat_price"], record["pay_price"]}, []any{step.vat, rounded(new(big.Rat).Add(rat(t, "100"), rat(t, step.vat)))}; !cmp.Equal(got, want) {
			t.Errorf("%v, then %v: VAT and amount to pay are %v, want %v", step.performer, step.body, got, want)
		}
	}
	manager.delete("/rest/invoice-items/2").wants(200)
	if record := manager.get("/rest/invoice/1").record(); record["pay_price"] != "0.0000" {
		t.Errorf("an invoice without lines wants %v", record["pay_price"])
	}
}

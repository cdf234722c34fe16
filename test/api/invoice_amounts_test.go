package api_test

import (
	"fmt"
	"math/big"
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

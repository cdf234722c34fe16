package api_test

import (
	"fmt"
	"math/big"
	"testing"
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

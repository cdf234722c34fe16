package money_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/money"
)

// outcome is the value as text, or the error.
func outcome(v fmt.Stringer, err error) string {
	if err != nil {
		return err.Error()
	}
	return v.String()
}

const (
	notDecimal = "must be a decimal number"
	tooFine    = "has too many fraction digits"
	tooLarge   = "must be below 10^12 in absolute value"
	percentage = "must be from 0 to 100"
)

func TestParseAmount(t *testing.T) { // contract 10.79
	for in, want := range map[string]string{
		"0":                     "0.0000",
		"-0":                    "0.0000",
		"12.5":                  "12.5000",
		"-12.3456":              "-12.3456",
		"+3":                    "3.0000",
		".5":                    "0.5000",
		"5.":                    "5.0000",
		" 7 ":                   "7.0000",
		"1.23450000000":         "1.2345",
		"1.5e3":                 "1500.0000",
		"15E-1":                 "1.5000",
		"999999999999.9999":     "999999999999.9999",
		"-999999999999.9999":    "-999999999999.9999",
		"1000000000000":         tooLarge,
		"-1000000000000":        tooLarge,
		"1e12":                  tooLarge,
		"1e13":                  tooLarge,
		"1e400":                 tooLarge,
		"1.23456":               tooFine + ": at most 4 are allowed",
		"0.00001":               tooFine + ": at most 4 are allowed",
		"1e-5":                  tooFine + ": at most 4 are allowed",
		"1e-400":                tooFine + ": at most 4 are allowed",
		"0e999":                 "0.0000",
		"":                      notDecimal,
		" ":                     notDecimal,
		".":                     notDecimal,
		"-":                     notDecimal,
		"e5":                    notDecimal,
		"1e":                    notDecimal,
		"1.2.3":                 notDecimal,
		"--1":                   notDecimal,
		".-5":                   notDecimal,
		"1 000":                 notDecimal,
		"1,5":                   notDecimal,
		"1_000":                 notDecimal,
		"0x10":                  notDecimal,
		"NaN":                   notDecimal,
		"Infinity":              notDecimal,
		"\u22125":               notDecimal, // a typographic minus
		"\u0661":                notDecimal, // an Arabic one
		strings.Repeat("1", 65): notDecimal,
		"1e999999999":           notDecimal,
	} {
		if got := outcome(money.ParseAmount(in)); got != want {
			t.Errorf("ParseAmount(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestParseQuantity(t *testing.T) { // contract 10.79, 2.14
	for in, want := range map[string]string{
		"1":                   "1",
		"2.50":                "2.5",
		"-0.000001":           "-0.000001",
		"1e2":                 "100",
		"100":                 "100",
		"999999999999.999999": "999999999999.999999",
		"0.0000001":           tooFine + ": at most 6 are allowed",
		"1000000000000":       tooLarge,
		"many":                notDecimal,
	} {
		if got := outcome(money.ParseQuantity(in)); got != want {
			t.Errorf("ParseQuantity(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestParsePercent(t *testing.T) { // contract 6.26
	for in, want := range map[string]string{
		"0":         "0.00",
		"7.5":       "7.50",
		"19.00":     "19.00",
		"0.05":      "0.05",
		"1e1":       "10.00",
		"100":       "100.00",
		"100.01":    percentage,
		"-0.01":     percentage,
		"1e30":      percentage,
		"5.001":     tooFine + ": at most 2 are allowed",
		"5.1000000": "5.10",
		"a lot":     notDecimal,
	} {
		if got := outcome(money.ParsePercent(in)); got != want {
			t.Errorf("ParsePercent(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestEqualPercentagesAreIdentical(t *testing.T) {
	a, b := percent(t, "7.5"), percent(t, "7.50")
	if a != b || !a.Equal(b) {
		t.Errorf("%s and %s differ", a, b)
	}
	if c := percent(t, "7.51"); a == c || a.Equal(c) {
		t.Errorf("%s and %s do not differ", a, c)
	}
}

func TestControlTotalMatchesToTheCent(t *testing.T) { // contract 10.83
	for _, tt := range []struct {
		claim, amount string
		want          bool
	}{
		{"10", "10", true},
		{"10.005", "10", true},
		{"9.995", "10", true},
		{"10.0050000000000000001", "10", false},
		{"9.99499999999999999", "10", false},
		{"10.006", "10", false},
		{"-10", "10", false},
		{"-0.005", "0", true},
		{"0.30000000000000004", "0.3", true}, // what binary fractions make of it
		{"999999999999999.99", "1", false},
	} {
		claim, err := money.ParseControlTotal(tt.claim)
		if err != nil {
			t.Errorf("ParseControlTotal(%q): %v", tt.claim, err)
			continue
		}
		if got := claim.Matches(amount(t, tt.amount)); got != tt.want {
			t.Errorf("%s matches %s: %v, want %v", tt.claim, tt.amount, got, tt.want)
		}
	}
}

func TestControlTotalMayBeAsLargeAsATotal(t *testing.T) {
	for in, want := range map[string]error{
		"999999999999999.9999":         nil,
		"1000000000000000":             money.ErrHuge,
		"-1e15":                        money.ErrHuge,
		"1e400":                        money.ErrHuge,
		"1e-64":                        nil,
		"1e-65":                        money.ErrTooFine,
		"0." + strings.Repeat("3", 62): nil, // 64 characters
		"0." + strings.Repeat("3", 63): money.ErrNotDecimal,
		"about 5":                      money.ErrNotDecimal,
	} {
		if _, err := money.ParseControlTotal(in); !errors.Is(err, want) {
			t.Errorf("ParseControlTotal(%q): %v, want %v", in, err, want)
		}
	}
}

func TestAmountIsRestoredAsItWasStored(t *testing.T) {
	for _, s := range []string{"0.0000", "-0.0001", "999999999999999.9999", "-999999999999999.9999"} {
		if got := outcome(money.RestoreAmount(s)); got != s {
			t.Errorf("RestoreAmount(%q) = %s", s, got)
		}
	}
	if _, err := money.RestoreAmount("oops"); err == nil {
		t.Error("RestoreAmount takes what is no number")
	}
}

func TestStorable(t *testing.T) { // contract 10.79
	for s, want := range map[string]bool{
		"0":                     true,
		"999999999999999.9999":  true,
		"-999999999999999.9999": true,
		"1000000000000000":      false,
		"-1000000000000000":     false,
	} {
		a, err := money.RestoreAmount(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Storable(); got != want {
			t.Errorf("%s is storable: %v, want %v", s, got, want)
		}
	}
}

func TestRoundingMovesHalvesAwayFromZero(t *testing.T) { // contract 10.82
	for _, tt := range []struct{ count, price, want string }{
		{"0.5", "0.0001", "0.0001"},
		{"-0.5", "0.0001", "-0.0001"},
		{"0.5", "-0.0001", "-0.0001"},
		{"0.499999", "0.0001", "0.0000"},
		{"-0.499999", "0.0001", "0.0000"},
		{"1.5", "0.0003", "0.0005"}, // to even would be 4
		{"2.5", "0.0001", "0.0003"},
		{"3", "1.1", "3.3000"},
		{"1e3", "1e3", "1000000.0000"},
	} {
		if got := quantity(t, tt.count).Times(amount(t, tt.price)).Round().String(); got != tt.want {
			t.Errorf("%s times %s = %s, want %s", tt.count, tt.price, got, tt.want)
		}
	}
}

func TestAmountArithmeticIsExact(t *testing.T) { // contract 10.82
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		q, a, b := decimalText(r, 12, 6), decimalText(r, 12, 4), decimalText(r, 12, 4)
		p := fmt.Sprintf("%d.%02d", r.IntN(100), r.IntN(100))

		product := roundRat(new(big.Rat).Mul(rat(q), rat(a)))
		if got := quantity(t, q).Times(amount(t, a)).Round().String(); got != product {
			t.Fatalf("%s times %s = %s, want %s", q, a, got, product)
		}
		share := new(big.Rat).Mul(rat(p), rat(a))
		want := roundRat(share.Quo(share, big.NewRat(100, 1)))
		if got := percent(t, p).Of(amount(t, a)).Round().String(); got != want {
			t.Fatalf("%s%% of %s = %s, want %s", p, a, got, want)
		}
		sum := roundRat(new(big.Rat).Add(rat(a), rat(b)))
		if got := amount(t, a).Plus(amount(t, b)).String(); got != sum {
			t.Fatalf("%s plus %s = %s, want %s", a, b, got, sum)
		}
	}
}

func TestAmountPercentIsRounded(t *testing.T) {
	for in, want := range map[string]string{
		"80": "5.6000", "-80": "-5.6000", "0.0050": "0.0004", "-0.0050": "-0.0004", "0.0007": "0.0000",
		"999999999999.9999": "70000000000.0000",
	} {
		if got := amount(t, in).Percent(7).String(); got != want {
			t.Errorf("7 %% of %s are %s, want %s", in, got, want)
		}
	}
}

func TestEqualComparesNumbersWhateverTheirForm(t *testing.T) {
	if !amount(t, "1e3").Equal(amount(t, "1000.00")) || amount(t, "1").Equal(amount(t, "-1")) {
		t.Error("amounts")
	}
	if !quantity(t, "1.50").Equal(quantity(t, "15e-1")) || quantity(t, "1").Equal(quantity(t, "2")) {
		t.Error("quantities")
	}
	if !money.One().Equal(quantity(t, "1")) {
		t.Error("One is not 1")
	}
}

func TestAmountsAreComparedAsNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"-1", "0", -1}, {"2", "1.9999", 1}, {"1e3", "1000.00", 0}} {
		if got := amount(t, c.a).Compare(amount(t, c.b)); got != c.want {
			t.Errorf("%s compared with %s is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestAmountIsNegativeBelowZero(t *testing.T) {
	for text, want := range map[string]bool{"-0.0001": true, "0": false, "0.0001": false} {
		if got := amount(t, text).IsNegative(); got != want {
			t.Errorf("%s is negative: %t, want %t", text, got, want)
		}
	}
}

func TestNumberExceedsThoseNearerToZeroOrNotOnItsSide(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"2", "1.9999", true}, {"2", "2", false}, {"2", "2.0001", false},
		{"-2", "-1", true}, {"-2", "-2", false}, {"-2", "-3", false},
		{"1", "-2", true}, {"-1", "2", true}, {"0.0001", "0", true}, {"-0.0001", "0", true},
		{"0", "1", true}, {"0", "-1", true}, {"0", "0", true}, // 0 is on neither side
	} {
		if got := quantity(t, tt.a).Exceeds(quantity(t, tt.b)); got != tt.want {
			t.Errorf("the quantity %s exceeds %s: %t", tt.a, tt.b, got)
		}
		if got := amount(t, tt.a).Exceeds(amount(t, tt.b)); got != tt.want {
			t.Errorf("the amount %s exceeds %s: %t", tt.a, tt.b, got)
		}
	}
}

// contract 16.42
func TestCurrencyIsACodeInUse(t *testing.T) {
	for code, want := range map[string]bool{
		"AED": true, "EUR": true, "ZWG": true, "": false, "eur": false, "EU": false, "ABC": false, "XXX": false, "XTS": false,
		"EUR FJD": false, "ZWG ": false,
	} {
		if got := money.IsCurrency(code); got != want {
			t.Errorf("%q is a currency: %t", code, got)
		}
	}
}

func TestZeroValuesAreZero(t *testing.T) {
	if s := (money.Amount{}).String(); s != "0.0000" {
		t.Errorf("amount %s", s)
	}
	if p := (money.Percent{}); p.String() != "0.00" || !p.IsZero() || percent(t, "0.01").IsZero() {
		t.Errorf("percent %s", p)
	}
	if q := (money.Quantity{}); q.String() != "0" || !q.IsZero() || money.One().IsZero() {
		t.Errorf("quantity %s", q)
	}
}

// decimalText is a decimal of up to that many digits before and behind the point.
func decimalText(r *rand.Rand, whole, fraction int) string {
	s := []string{"", "-"}[r.IntN(2)] + "0"
	for range r.IntN(whole + 1) {
		s += fmt.Sprint(r.IntN(10))
	}
	s += "."
	for range r.IntN(fraction) + 1 {
		s += []string{"0", "5", "9", fmt.Sprint(r.IntN(10))}[r.IntN(4)]
	}
	return s
}

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// roundRat is the number with four fraction digits, halves away from zero, in
// arithmetic of its own.
func roundRat(x *big.Rat) string {
	twice := new(big.Int).Mul(new(big.Int).Abs(x.Num()), big.NewInt(20_000))
	n := new(big.Int).Add(twice, x.Denom())
	n.Quo(n, new(big.Int).Mul(big.NewInt(2), x.Denom()))
	digits := fmt.Sprintf("%05d", n)
	digits = digits[:len(digits)-4] + "." + digits[len(digits)-4:]
	if x.Sign() < 0 && n.Sign() != 0 {
		digits = "-" + digits
	}
	return digits
}

func amount(t *testing.T, s string) money.Amount {
	t.Helper()
	return must(t)(money.ParseAmount(s)).(money.Amount)
}

func quantity(t *testing.T, s string) money.Quantity {
	t.Helper()
	return must(t)(money.ParseQuantity(s)).(money.Quantity)
}

func percent(t *testing.T, s string) money.Percent {
	t.Helper()
	return must(t)(money.ParsePercent(s)).(money.Percent)
}

func must(t *testing.T) func(any, error) any {
	t.Helper()
	return func(v any, err error) any {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestControlTotalsAreComparedAsNumbers(t *testing.T) { // contract 10.61
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"4.5", "4.500", true},
		{"45e-1", "4.5", true},
		{"4.5", "4.5001", false},
		{"0", "-0.0", true},
	} {
		a, errA := money.ParseControlTotal(tt.a)
		b, errB := money.ParseControlTotal(tt.b)
		if errA != nil || errB != nil || a.Equal(b) != tt.same {
			t.Errorf("%s and %s: the same is %v, %v, %v", tt.a, tt.b, a.Equal(b), errA, errB)
		}
	}
}

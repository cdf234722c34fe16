package money_test

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

var numbers = []string{
	"0", "-0", "+1", "12.5", "-12.3456", ".5", "5.", "+.5e1", " 7 ", "1.2345000", "1.5e3", "15E-1", "1e+2", "999999999999.9999", "1e12", "-1000000000000", "1e400", "1e-400", "0e999999999",
	"1e999999999", "1e99999999999", "0.00001", "1e", "e5", ".", "", "-", "--1", "1.2.3", "1_0", "0x1p-2", "NaN", "Inf", "1,5", "19.00", "100.01", "0.30000000000000004", "00000000000000000000000000000001",
	strings.Repeat("9", 64), "0." + strings.Repeat("0", 62) + "1", "1e-64", "999999999999.999999", "\u0661", "1/2",
}

// contract 10.79
func FuzzParseAmountGivesTheWrittenNumber(f *testing.F) {
	fuzzseed.Texts(f, numbers...)
	f.Fuzz(func(t *testing.T, text string) {
		agree(t, text, bound(12), 4, money.ParseAmount)
	})
}

// contract 10.79, 2.14
func FuzzParseQuantityGivesTheWrittenNumber(f *testing.F) {
	fuzzseed.Texts(f, numbers...)
	f.Fuzz(func(t *testing.T, text string) {
		agree(t, text, bound(12), 6, money.ParseQuantity)
	})
}

// contract 6.26
func FuzzParsePercentGivesTheWrittenNumber(f *testing.F) {
	fuzzseed.Texts(f, numbers...)
	f.Fuzz(func(t *testing.T, text string) {
		isPercentage := func(r *big.Rat) bool { return r.Sign() >= 0 && r.Cmp(big.NewRat(100, 1)) <= 0 }
		agree(t, text, isPercentage, 2, money.ParsePercent)
	})
}

// contract 10.83
func FuzzControlTotalMatchesWithinHalfACent(f *testing.F) {
	cases := [][]any{{"10.005", "10"}, {"9.994999", "10"}, {"999999999999999.99", "1"}}
	for _, text := range numbers {
		cases = append(cases, []any{text, text})
	}
	fuzzseed.Add(f, cases...)
	f.Fuzz(func(t *testing.T, claimed, computed string) {
		claim, err := money.ParseControlTotal(claimed)
		want, ok := number(claimed)
		if errors.Is(err, money.ErrTooFine) && ok && !hasDigits(want, 60) {
			return // takes too long
		}
		if ok = ok && bound(15)(want); ok != (err == nil) {
			t.Fatalf("%q is a claim: %v, want %v", claimed, err, ok)
		}
		amount, err := money.ParseAmount(computed)
		if err != nil || !ok {
			return
		}
		apart := new(big.Rat).Sub(want, exact(amount))
		if near := apart.Abs(apart).Cmp(big.NewRat(5, 1000)) <= 0; claim.Matches(amount) != near {
			t.Errorf("%q matches %s: %v", claimed, amount, !near)
		}
	})
}

// contract 10.82
func FuzzLineTotalIsCountTimesPrice(f *testing.F) {
	cases := [][]any{{"0.5", "0.0001"}, {"-1.5", "0.0003"}, {"0.499999", "-0.0001"}}
	for i, text := range numbers {
		cases = append(cases, []any{text, numbers[len(numbers)-1-i]})
	}
	fuzzseed.Add(f, cases...)
	f.Fuzz(func(t *testing.T, count, price string) {
		q, err := money.ParseQuantity(count)
		p, alsoErr := money.ParseAmount(price)
		if err != nil || alsoErr != nil {
			return
		}
		product := new(big.Rat).Mul(exact(q), exact(p))
		if got, want := q.Times(p).Round().String(), zero(product.FloatString(4)); got != want { // FloatString rounds halves away from zero
			t.Errorf("%s times %s is %s, want %s", q, p, got, want)
		}
	})
}

// agree compares a parser with math/big: what is no number is rejected,
// and so is what is not allowed, or has more digits; else its value is the number,
// and what it prints is read as the same.
func agree[T fmt.Stringer](t *testing.T, text string, isAllowed func(*big.Rat) bool, digits int, parse func(string) (T, error)) {
	t.Helper()
	value, err := parse(text)
	want, ok := number(text)
	ok = ok && isAllowed(want) && hasDigits(want, digits)
	if ok != (err == nil) {
		t.Fatalf("%q: %v, want it to be read: %v", text, err, ok)
	}
	if !ok {
		if !errors.Is(err, money.ErrNotDecimal) && !errors.Is(err, money.ErrTooFine) && !errors.Is(err, money.ErrTooLarge) && !errors.Is(err, money.ErrOutOfRange) {
			t.Errorf("%q is rejected with %v", text, err)
		}
		return
	}
	if exact(value).Cmp(want) != 0 {
		t.Errorf("%q is read as %s", text, value)
	}
	if again, err := parse(value.String()); err != nil || again.String() != value.String() {
		t.Errorf("%s is read as %s, %v", value, again, err)
	}
}

var decimalNumber = regexp.MustCompile(`^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?$`)

// number is the text as math/big reads it. Beyond what 64 letters can say without
// an exponent, nothing is wanted but zero.
func number(text string) (*big.Rat, bool) {
	text = strings.TrimSpace(text)
	parts := decimalNumber.FindStringSubmatch(text)
	if parts == nil || len(text) > 64 {
		return nil, false
	}
	mantissa := text
	if parts[1] != "" {
		mantissa = strings.TrimRight(text[:len(text)-len(parts[1])], "eE")
	}
	r, ok := new(big.Rat).SetString(mantissa)
	if !ok || parts[1] == "" {
		return r, ok
	}
	exponent, err := strconv.Atoi(parts[1])
	if err != nil {
		return nil, false
	}
	if r.Sign() == 0 { // zeros are read up to an exponent beyond practical use
		_, fraction, _ := strings.Cut(mantissa, ".")
		exponent -= len(fraction)
		return r, exponent >= -10_000 && exponent <= 10_000
	}
	if exponent < -200 || exponent > 200 {
		return nil, false
	}
	return r.SetString(text)
}

// bound allows what is smaller than a power of ten in size.
func bound(power int64) func(*big.Rat) bool {
	limit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(power), nil))
	return func(r *big.Rat) bool { return new(big.Rat).Abs(r).Cmp(limit) < 0 }
}

func hasDigits(r *big.Rat, digits int) bool {
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
	return scaled.IsInt()
}

func exact(value fmt.Stringer) *big.Rat {
	r, _ := new(big.Rat).SetString(value.String())
	return r
}

// zero has no sign.
func zero(text string) string {
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

package money_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/money"
)

func parsed(t *testing.T, s string) money.Number {
	t.Helper()
	return must(t)(money.ParseNumber(s)).(money.Number)
}

func TestNumberIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		a, b := decimalText(r, 11, 30), decimalText(r, 12, 30)
		x, y := parsed(t, a), parsed(t, b)
		product, err := x.Times(y)
		if err != nil {
			t.Fatalf("%s times %s: %v", a, b, err)
		}
		for name, c := range map[string]struct {
			got  money.Number
			want *big.Rat
		}{
			"plus":    {x.Plus(y), new(big.Rat).Add(rat(a), rat(b))},
			"minus":   {x.Minus(y), new(big.Rat).Sub(rat(a), rat(b))},
			"times":   {product, new(big.Rat).Mul(rat(a), rat(b))},
			"negated": {x.Negated(), new(big.Rat).Neg(rat(a))},
		} {
			if exact(c.got).Cmp(c.want) != 0 {
				t.Fatalf("%s %s %s is %s", a, name, b, c.got)
			}
		}
		if got, want := x.Compare(y), rat(a).Cmp(rat(b)); got != want {
			t.Fatalf("%s compared with %s is %d, want %d", a, b, got, want)
		}
	}
}

func TestNumberOfAmountQuantityPercentAndInteger(t *testing.T) {
	for want, got := range map[string]money.Number{
		"90.01": amount(t, "90.0100").Number(),
		"-0.5":  quantity(t, "-0.500000").Number(),
		"7.25":  percent(t, "7.25").Number(),
		"-17":   money.NumberOf(-17),
		"0":     {},
	} {
		if got.String() != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNumberIsRejectedIfItIsHugeOrNone(t *testing.T) {
	for text, want := range map[string]error{
		"1e15":   money.ErrHuge,
		"1,5":    money.ErrNotDecimal,
		"":       money.ErrNotDecimal,
		"1e-100": money.ErrTooFine,
	} {
		if _, err := money.ParseNumber(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestProductHasAtMost200Digits(t *testing.T) {
	for name, tt := range map[string]struct {
		factors string
		fits    bool
	}{
		"200 fraction digits":         {strings.Repeat("0.1 ", 50), true}, // 4 for each factor
		"204 fraction digits":         {strings.Repeat("0.1 ", 51), false},
		"152 digits and 48 fraction":  {strings.Repeat("1e14 ", 10) + "1e11 1", true},
		"153 digits and 48 fraction":  {strings.Repeat("1e14 ", 10) + "1e12 1", false},
		"-152 digits and 48 fraction": {strings.Repeat("1e14 ", 10) + "-1e11 1", true},
	} {
		var product money.Number
		var err error
		for i, f := range strings.Fields(tt.factors) {
			if i == 0 {
				product = parsed(t, f)
				continue
			}
			if product, err = product.Times(parsed(t, f)); err != nil {
				break
			}
		}
		if (err == nil) != tt.fits || err != nil && !errors.Is(err, money.ErrTooLong) {
			t.Errorf("%s: %s, %v", name, product, err)
		}
	}
}

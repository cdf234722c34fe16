// Package money holds amounts, prices and quantities as decimals. There is one
// rounding in Kontor, half away from zero to four digits, and it is here.
package money

import (
	"errors"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"
)

// Digits is how many fraction digits an amount has.
const Digits = 4

// How many digits a number may have before the point.
const (
	inputDigits = 12
	totalDigits = 15 // numeric(19,4) holds no more
)

var (
	maxAmount = decimal.New(1, totalDigits)
	halfCent  = decimal.New(5, -3)
	hundred   = decimal.New(100, 0)
)

// The ways in which a number can be rejected.
var (
	ErrNotDecimal = errors.New("must be a decimal number")
	ErrTooFine    = errors.New("has too many fraction digits")
	ErrTooLarge   = errors.New("must be smaller than 10^12 in size")
	ErrOutOfRange = errors.New("must be from 0 to 100")
	ErrHuge       = errors.New("must be smaller than 10^15 in size")
)

// Amount is an exact decimal with at most four fraction digits: a price, a
// total, a VAT amount. It may be negative. The zero value is 0.
type Amount struct {
	d decimal.Decimal
}

// Quantity is an exact decimal with at most six fraction digits. The zero
// value is 0.
type Quantity struct {
	d decimal.Decimal
}

// Percent is 0 to 100 with at most two fraction digits. The zero value is 0.
// Percentages can be compared with ==.
type Percent struct {
	hundredths int16
}

// Exact is the result of a calculation before it is rounded to an amount. The zero
// value is 0.
type Exact struct {
	d decimal.Decimal
}

// Claim is a total as a writer has worked it out, with as many fraction digits
// as that gave. It is only compared with the right amount.
type Claim struct {
	d decimal.Decimal
}

// ParseAmount reads a price of at most four fraction digits, smaller than
// 10^12 in size. Nothing is rounded away: more digits are an error.
func ParseAmount(s string) (Amount, error) {
	d, err := parse(s, inputDigits, Digits, ErrTooLarge)
	return Amount{d}, err
}

// ParseQuantity reads a quantity of at most six fraction digits, smaller than
// 10^12 in size.
func ParseQuantity(s string) (Quantity, error) {
	d, err := parse(s, inputDigits, 6, ErrTooLarge)
	return Quantity{d}, err
}

// ParsePercent reads a percentage, 0 to 100 with at most two fraction digits.
func ParsePercent(s string) (Percent, error) {
	d, err := parse(s, inputDigits, 2, ErrOutOfRange)
	if err != nil {
		return Percent{}, err
	}
	if d.IsNegative() || d.GreaterThan(hundred) {
		return Percent{}, ErrOutOfRange
	}
	return Percent{int16(d.Shift(2).IntPart())}, nil
}

// ParseClaim reads a total that a writer gives: smaller than 10^15 in size,
// with any number of fraction digits that fits into 64 characters.
func ParseClaim(s string) (Claim, error) {
	d, err := parse(s, totalDigits, maxLength, ErrHuge)
	return Claim{d}, err
}

// RestoreAmount is an amount that a store has as text; it may be as large as
// a stored total can be.
func RestoreAmount(s string) (Amount, error) {
	d, err := decimal.NewFromString(s)
	return Amount{d}, err
}

// maxLength is how many characters, and so how many fraction digits, are read.
const maxLength = 64

// parse reads a decimal with at most that many digits before the point and
// behind it; the error is tooLarge for more before it. Digits are counted and
// not written out, so that 1e999999 costs nothing.
func parse(s string, whole int, fraction int32, tooLarge error) (decimal.Decimal, error) {
	s = strings.TrimSpace(s)
	if len(s) > maxLength || !strings.ContainsAny(s, "0123456789") || strings.Trim(s, "0123456789+-.eE") != "" {
		return decimal.Zero, ErrNotDecimal
	}
	d, err := decimal.NewFromString(s)
	if err != nil {
		return decimal.Zero, ErrNotDecimal
	}
	if d.IsZero() {
		return decimal.Zero, nil
	}
	if d.NumDigits()+int(d.Exponent()) > whole {
		return decimal.Zero, tooLarge
	}
	if d.Exponent() < -maxLength || !d.Equal(d.Truncate(fraction)) {
		return decimal.Zero, ErrTooFine
	}
	return d, nil
}

// Rounding is the name of the rounding that Round does.
const Rounding = "half away from zero"

// Round is the one rounding: half away from zero to four digits.
func (e Exact) Round() Amount { return Amount{e.d.Round(Digits)} }

// String is the number with all its digits, without trailing zeros.
func (e Exact) String() string { return e.d.String() }

// One is the quantity 1.
func One() Quantity { return Quantity{decimal.New(1, 0)} }

// Times is quantity times price.
func (q Quantity) Times(price Amount) Exact { return Exact{q.d.Mul(price.d)} }

// IsZero reports whether the quantity is 0.
func (q Quantity) IsZero() bool { return q.d.IsZero() }

// Equal reports whether both are the same number.
func (q Quantity) Equal(r Quantity) bool { return q.d.Equal(r.d) }

// String is the quantity without trailing zeros.
func (q Quantity) String() string { return q.d.String() }

// Of is the percentage of the amount.
func (p Percent) Of(a Amount) Exact {
	return Exact{a.d.Mul(decimal.New(int64(p.hundredths), -4))}
}

// Equal reports whether both are the same number.
func (p Percent) Equal(q Percent) bool { return p == q }

// String is the percentage with two fraction digits.
func (p Percent) String() string { return fmt.Sprintf("%d.%02d", p.hundredths/100, p.hundredths%100) }

// Matches reports whether the claim is at most 0.005 away from the amount.
func (c Claim) Matches(a Amount) bool {
	return c.d.Sub(a.d).Abs().LessThanOrEqual(halfCent)
}

// Equal reports whether both are the same number.
func (c Claim) Equal(d Claim) bool { return c.d.Equal(d.d) }

// Plus is the sum.
func (a Amount) Plus(b Amount) Amount { return Amount{a.d.Add(b.d)} }

// Minus is the difference.
func (a Amount) Minus(b Amount) Amount { return Amount{a.d.Sub(b.d)} }

// Equal reports whether both are the same number.
func (a Amount) Equal(b Amount) bool { return a.d.Equal(b.d) }

// Percent is n percent of the amount, rounded.
func (a Amount) Percent(n int) Amount { return Exact{a.d.Mul(decimal.New(int64(n), -2))}.Round() }

// Exact is the amount itself, as the result of a calculation that needs no rounding.
func (a Amount) Exact() Exact { return Exact(a) }

// Compare is -1, 0 or 1 as the amount is less than, equal to or greater than the other.
func (a Amount) Compare(b Amount) int { return a.d.Cmp(b.d) }

// IsNegative reports whether the amount is less than zero.
func (a Amount) IsNegative() bool { return a.d.IsNegative() }

// Storable reports whether the amount fits into a stored total: it is smaller
// than 10^15 in size.
func (a Amount) Storable() bool { return a.d.Abs().LessThan(maxAmount) }

// String is the amount with four fraction digits.
func (a Amount) String() string { return a.d.StringFixed(Digits) }

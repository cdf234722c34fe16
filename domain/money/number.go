package money

import (
	"errors"

	"github.com/shopspring/decimal"
)

// Number is an exact decimal for the calculations of rules: an amount, a quantity, a
// percentage, or a sum, difference or product of such numbers, which are never rounded. The
// zero value is 0.
type Number struct {
	d decimal.Decimal
}

// maxNumberDigits limits the digits of a product, before and after the decimal point
// together.
const maxNumberDigits = 200

// ErrTooLong is the error of Times for a product with too many digits.
var ErrTooLong = errors.New("has more than 200 digits")

// ParseNumber parses a number with an absolute value below 10^15 and any number of fraction
// digits that fits into 64 characters.
func ParseNumber(s string) (Number, error) {
	d, err := parse(s, totalDigits, maxLength, ErrHuge)
	return aligned(d), err
}

// NumberOf returns the integer n as a Number.
func NumberOf(n int64) Number { return aligned(decimal.New(n, 0)) }

// aligned returns the number with the fraction digits of an amount: numbers with the same
// number of them are compared without calculation.
func aligned(d decimal.Decimal) Number { return Number{d.Add(decimal.New(0, -Digits))} }

// Number returns the amount as a Number.
func (a Amount) Number() Number { return Number(a) }

// Number returns the quantity as a Number.
func (q Quantity) Number() Number { return Number(q) }

// Number returns the percentage as a Number: 19 for 19 percent.
func (p Percent) Number() Number { return Number{decimal.New(int64(p.hundredths), -2)} }

// Plus returns n + m.
func (n Number) Plus(m Number) Number { return Number{n.d.Add(m.d)} }

// Minus returns n - m.
func (n Number) Minus(m Number) Number { return Number{n.d.Sub(m.d)} }

// Negated returns -n.
func (n Number) Negated() Number { return Number{n.d.Neg()} }

// Times returns n * m, or ErrTooLong if that has more than 200 digits.
func (n Number) Times(m Number) (Number, error) {
	product := n.d.Mul(m.d)
	if product.NumDigits() > maxNumberDigits || product.Exponent() < -maxNumberDigits {
		return Number{}, ErrTooLong
	}
	return Number{product}, nil
}

// Compare returns -1 if n < m, 0 if n == m and 1 if n > m.
func (n Number) Compare(m Number) int { return n.d.Cmp(m.d) }

// String returns the number without trailing zeros.
func (n Number) String() string { return n.d.String() }

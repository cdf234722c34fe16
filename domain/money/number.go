package money

import (
	"errors"

	"github.com/shopspring/decimal"
)

// Number is an exact decimal to calculate with: amounts, quantities and percentages are such
// numbers, and so are their sums, differences and products, none of which is rounded. The
// zero value is 0.
type Number struct {
	d decimal.Decimal
}

// maxNumberDigits limits the digits of a product, before and behind the point.
const maxNumberDigits = 200

// ErrTooLong says that a product has too many digits.
var ErrTooLong = errors.New("has more than 200 digits")

// ParseNumber reads a number that is smaller than 10^15 in size, with any number of fraction
// digits that fits into 64 characters.
func ParseNumber(s string) (Number, error) {
	d, err := parse(s, totalDigits, maxLength, ErrHuge)
	return aligned(d), err
}

// NumberOf is an integer.
func NumberOf(n int64) Number { return aligned(decimal.New(n, 0)) }

// aligned is the number with the fraction digits of an amount: numbers with the same number
// of them are compared without calculation.
func aligned(d decimal.Decimal) Number { return Number{d.Add(decimal.New(0, -Digits))} }

// Number is the amount to calculate with.
func (a Amount) Number() Number { return Number(a) }

// Number is the quantity to calculate with.
func (q Quantity) Number() Number { return Number(q) }

// Number is the percentage to calculate with: 19 for 19 percent.
func (p Percent) Number() Number { return Number{decimal.New(int64(p.hundredths), -2)} }

// Plus is the sum.
func (n Number) Plus(m Number) Number { return Number{n.d.Add(m.d)} }

// Minus is the difference.
func (n Number) Minus(m Number) Number { return Number{n.d.Sub(m.d)} }

// Negated is the number with the other sign.
func (n Number) Negated() Number { return Number{n.d.Neg()} }

// Times is the product, or ErrTooLong.
func (n Number) Times(m Number) (Number, error) {
	product := n.d.Mul(m.d)
	if product.NumDigits() > maxNumberDigits || product.Exponent() < -maxNumberDigits {
		return Number{}, ErrTooLong
	}
	return Number{product}, nil
}

// Compare is negative if n is the smaller number, positive if it is the larger one, else 0.
func (n Number) Compare(m Number) int { return n.d.Cmp(m.d) }

// String is the number without trailing zeros.
func (n Number) String() string { return n.d.String() }

// Package money contains exact decimal amounts, quantities and percentages. Amounts are
// rounded in one way only, half away from zero to four fraction digits: see
// Exact.Round.
package money

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"
)

// Digits is the number of fraction digits of an amount.
const Digits = 4

// The maximum numbers of digits before the decimal point.
const (
	inputDigits = 12
	totalDigits = 15 // numeric(19,4) holds no more
)

var (
	maxAmount = decimal.New(1, totalDigits)
	halfCent  = decimal.New(5, -3)
	cent      = decimal.New(1, -2)
	hundred   = decimal.New(100, 0)
)

// The errors of the Parse functions.
var (
	ErrNotDecimal = errors.New("must be a decimal number")
	ErrTooFine    = errors.New("has too many fraction digits")
	ErrTooLarge   = errors.New("must be below 10^12 in absolute value")
	ErrOutOfRange = errors.New("must be from 0 to 100")
	ErrNoChange   = errors.New("must be from -100 to 100, and not 0")
	ErrHuge       = errors.New("must be below 10^15 in absolute value")
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

// Percent is -100 to 100 with at most two fraction digits; only a change may be negative, see ParseChange.
// The zero value is 0. Percentages can be compared with ==.
type Percent struct {
	hundredths int16
}

// Exact is the result of a calculation before it is rounded to an amount. The zero
// value is 0.
type Exact struct {
	d  decimal.Decimal
	by decimal.Decimal // d is to be divided by it; 0: by nothing
}

// ControlTotal is a total that a writer has computed, with any number of fraction digits. It
// is only compared with the correct amount.
type ControlTotal struct {
	d decimal.Decimal
}

// ParseAmount parses a price with at most four fraction digits and an absolute value
// below 10^12. It never rounds: more digits are an error.
func ParseAmount(s string) (Amount, error) {
	d, err := parse(s, inputDigits, Digits, ErrTooLarge)
	return Amount{d}, err
}

// ParseCents parses an amount with at most two fraction digits and an absolute value below 10^12. It never rounds.
func ParseCents(s string) (Amount, error) {
	d, err := parse(s, inputDigits, 2, ErrTooLarge)
	return Amount{d}, err
}

// ParseQuantity parses a quantity with at most six fraction digits and an absolute
// value below 10^12. It never rounds.
func ParseQuantity(s string) (Quantity, error) {
	d, err := parse(s, inputDigits, 6, ErrTooLarge)
	return Quantity{d}, err
}

// ParsePercent parses a percentage, 0 to 100 with at most two fraction digits.
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

// ParseChange parses a percentage that is added, or taken off if it is negative: -100 to 100 with at most two fraction digits, and not 0.
func ParseChange(s string) (Percent, error) {
	d, err := parse(s, inputDigits, 2, ErrNoChange)
	if err == nil && (d.IsZero() || d.Abs().GreaterThan(hundred)) {
		err = ErrNoChange
	}
	if err != nil {
		return Percent{}, err
	}
	return Percent{int16(d.Shift(2).IntPart())}, nil
}

// ParseControlTotal parses a total with an absolute value below 10^15 and any number of
// fraction digits that fits into 64 characters.
func ParseControlTotal(s string) (ControlTotal, error) {
	d, err := parse(s, totalDigits, maxLength, ErrHuge)
	return ControlTotal{d}, err
}

// RestoreAmount parses a stored amount. Its absolute value may be as large as that of a
// stored total, below 10^15.
func RestoreAmount(s string) (Amount, error) {
	d, err := decimal.NewFromString(s)
	return Amount{d}, err
}

// maxLength is the maximum number of characters of a number.
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
		return decimal.Zero, fmt.Errorf("%w: at most %d are allowed", ErrTooFine, fraction)
	}
	return d, nil
}

// Rounding is the name of the rounding mode of Round, for explanations.
const Rounding = "half away from zero"

// Round rounds to an amount, half away from zero to four fraction digits.
func (e Exact) Round() Amount { return e.RoundTo(Digits) }

// RoundTo rounds half away from zero to that many fraction digits, at most those of an amount.
func (e Exact) RoundTo(digits int32) Amount {
	if e.by.IsZero() {
		return Amount{e.d.Round(min(digits, Digits))}
	}
	return Amount{e.d.DivRound(e.by, min(digits, Digits))}
}

// Plus returns the sum of the number and the amount.
func (e Exact) Plus(a Amount) Exact {
	if !e.by.IsZero() {
		a.d = a.d.Mul(e.by)
	}
	e.d = e.d.Add(a.d)
	return e
}

// Minus returns the number less the amount.
func (e Exact) Minus(a Amount) Exact { return e.Plus(a.Negated()) }

// Per returns the number divided by a quantity, which is not 0.
func (e Exact) Per(q Quantity) Exact {
	if !q.Equal(One()) {
		e.by = q.d
	}
	return e
}

// quotientDigits is how many fraction digits String gives a quotient.
const quotientDigits = 16

// String returns the number with all its digits, without trailing zeros; a quotient has at most 16 of them behind the point.
func (e Exact) String() string {
	if e.by.IsZero() {
		return e.d.String()
	}
	return e.d.DivRound(e.by, quotientDigits).String()
}

// One returns the quantity 1.
func One() Quantity { return Quantity{decimal.New(1, 0)} }

// Times returns quantity times price, not rounded.
func (q Quantity) Times(price Amount) Exact { return Exact{d: q.d.Mul(price.d)} }

// IsZero reports whether the quantity is 0.
func (q Quantity) IsZero() bool { return q.d.IsZero() }

// IsNegative reports whether the quantity is less than zero.
func (q Quantity) IsNegative() bool { return q.d.IsNegative() }

// Negated returns -q.
func (q Quantity) Negated() Quantity { return Quantity{q.d.Neg()} }

// Equal reports whether both are the same number.
func (q Quantity) Equal(r Quantity) bool { return q.d.Equal(r.d) }

// Plus returns q + r.
func (q Quantity) Plus(r Quantity) Quantity { return Quantity{q.d.Add(r.d)} }

// Minus returns q - r.
func (q Quantity) Minus(r Quantity) Quantity { return Quantity{q.d.Sub(r.d)} }

// Exceeds reports whether q is further from 0 than r, on the other side of it, or 0.
func (q Quantity) Exceeds(r Quantity) bool {
	return q.d.Sign()*r.d.Sign() <= 0 || q.d.Abs().GreaterThan(r.d.Abs())
}

// String returns the quantity without trailing zeros.
func (q Quantity) String() string { return q.d.String() }

// Of returns the percentage of the amount, not rounded.
func (p Percent) Of(a Amount) Exact {
	return p.OfExact(a.Exact())
}

// OfExact returns the percentage of the number, not rounded.
func (p Percent) OfExact(e Exact) Exact {
	e.d = e.d.Mul(decimal.New(int64(p.hundredths), -4))
	return e
}

// Off returns the number less the percentage of it, not rounded.
func (p Percent) Off(e Exact) Exact {
	e.d = e.d.Mul(decimal.New(10_000-int64(p.hundredths), -4))
	return e
}

// Compare returns -1 if p < q, 0 if p == q and 1 if p > q.
func (p Percent) Compare(q Percent) int { return cmp.Compare(p.hundredths, q.hundredths) }

// IsNegative reports whether the percentage is below 0.
func (p Percent) IsNegative() bool { return p.hundredths < 0 }

// IsZero reports whether the percentage is 0.
func (p Percent) IsZero() bool { return p.hundredths == 0 }

// Equal reports whether both are the same number.
func (p Percent) Equal(q Percent) bool { return p == q }

// Negated returns -p.
func (p Percent) Negated() Percent { return Percent{-p.hundredths} }

// String returns the percentage with two fraction digits.
func (p Percent) String() string { return decimal.New(int64(p.hundredths), -2).StringFixed(2) }

// Matches reports whether the control total differs from the amount by at most 0.005.
func (c ControlTotal) Matches(a Amount) bool {
	return c.d.Sub(a.d).Abs().LessThanOrEqual(halfCent)
}

// Cents returns the control total if it is one in cents that differs from the amount by at most a cent.
func (c ControlTotal) Cents(a Amount) (Amount, bool) {
	return Amount(c), c.d.Sub(a.d).Abs().LessThanOrEqual(cent) && c.d.Equal(c.d.Truncate(2))
}

// Equal reports whether both are the same number.
func (c ControlTotal) Equal(d ControlTotal) bool { return c.d.Equal(d.d) }

// Plus returns a + b.
func (a Amount) Plus(b Amount) Amount { return Amount{a.d.Add(b.d)} }

// Minus returns a - b.
func (a Amount) Minus(b Amount) Amount { return Amount{a.d.Sub(b.d)} }

// Negated returns -a.
func (a Amount) Negated() Amount { return Amount{a.d.Neg()} }

// RoundTo rounds half away from zero to that many fraction digits.
func (a Amount) RoundTo(digits int32) Amount { return a.Exact().RoundTo(digits) }

// IsZero reports whether the amount is 0.
func (a Amount) IsZero() bool { return a.d.IsZero() }

// Equal reports whether both are the same number.
func (a Amount) Equal(b Amount) bool { return a.d.Equal(b.d) }

// Percent returns n percent of the amount, rounded.
func (a Amount) Percent(n int) Amount { return Exact{d: a.d.Mul(decimal.New(int64(n), -2))}.Round() }

// Exact converts the amount to a result of a calculation.
func (a Amount) Exact() Exact { return Exact{d: a.d} }

// Share returns the part of the amount that corresponds to the part of the whole, which is not 0.
func (a Amount) Share(part, whole Amount) Exact { return Exact{a.d.Mul(part.d), whole.d} }

// ShareOf is like Amount.Share, for quantities.
func (a Amount) ShareOf(part, whole Quantity) Exact { return a.Share(Amount(part), Amount(whole)) }

// Compare returns -1 if a < b, 0 if a == b and 1 if a > b.
func (a Amount) Compare(b Amount) int { return a.d.Cmp(b.d) }

// IsNegative reports whether the amount is less than zero.
func (a Amount) IsNegative() bool { return a.d.IsNegative() }

// Exceeds reports whether a is further from 0 than b, or on the other side of it.
func (a Amount) Exceeds(b Amount) bool { return Quantity(a).Exceeds(Quantity(b)) }

// Storable reports whether the amount fits into a stored total: its absolute value is
// below 10^15.
func (a Amount) Storable() bool { return a.d.Abs().LessThan(maxAmount) }

// String returns the amount with four fraction digits.
func (a Amount) String() string { return a.d.StringFixed(Digits) }

// Fixed returns the amount with that many fraction digits, rounded half away from zero.
func (a Amount) Fixed(digits int32) string { return a.d.StringFixed(digits) }

// The texts of stored documents have all numbers as they are written: an amount with four fraction digits, a percentage
// with two.

// MarshalText implements encoding.TextMarshaler.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Amount) UnmarshalText(text []byte) (err error) {
	*a, err = RestoreAmount(string(text))
	return err
}

// MarshalText implements encoding.TextMarshaler.
func (q Quantity) MarshalText() ([]byte, error) { return []byte(q.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (q *Quantity) UnmarshalText(text []byte) (err error) {
	*q, err = ParseQuantity(string(text))
	return err
}

// MarshalText implements encoding.TextMarshaler.
func (p Percent) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Percent) UnmarshalText(text []byte) (err error) {
	if strings.HasPrefix(string(text), "-") {
		*p, err = ParseChange(string(text))
	} else {
		*p, err = ParsePercent(string(text))
	}
	return err
}

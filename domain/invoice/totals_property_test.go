package invoice_test

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
)

// Amounts here are whole numbers: of ten-thousandths, and counts of millionths.

// drawnLine is a count and a price.
type drawnLine struct{ count, price int64 }

// drawLine draws a line of any size: often one whose price lies in the middle
// between two amounts, or near to the largest.
func drawLine(t *rapid.T) drawnLine {
	l := drawnLine{count: drawWhole(t, "count", 18), price: drawWhole(t, "price", 16)}
	switch rapid.SampledFrom([]string{"", "", "half", "large"}).Draw(t, "special") {
	case "half":
		l.count = rapid.SampledFrom([]int64{500_000, -500_000, 2_500_000, 50_000}).Draw(t, "half")
	case "large":
		l.count, l.price = 999_999_999_999_999_999, rapid.SampledFrom([]int64{10_000_000, -10_000_000, 5_000_000}).Draw(t, "large")
	}
	if l.count == 0 {
		l.count = 1
	}
	return l
}

// drawWhole draws a number with at most that number of digits; small ones are as likely as
// large ones.
func drawWhole(t *rapid.T, name string, digits int) int64 {
	figures := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789")), digits, digits, -1).Draw(t, name)
	n, err := strconv.ParseInt(figures[rapid.IntRange(0, digits-1).Draw(t, name+" from"):], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n * rapid.SampledFrom([]int64{1, -1}).Draw(t, name+" sign")
}

// decimalOf is the number with the last digits behind a point.
func decimalOf(n *big.Int, digits int) string {
	s := fmt.Sprintf("%0*s", digits+1, new(big.Int).Abs(n).String())
	return strings.Repeat("-", max(0, -n.Sign())) + s[:len(s)-digits] + "." + s[len(s)-digits:]
}

// divided is n/d, halves away from zero.
func divided(n *big.Int, d int64) *big.Int {
	twice := new(big.Int).Lsh(new(big.Int).Abs(n), 1)
	q := twice.Add(twice, big.NewInt(d)).Quo(twice, big.NewInt(2*d))
	if n.Sign() < 0 {
		q.Neg(q)
	}
	return q
}

// reckoned are the totals of the lines, their sum, the VAT at that number of hundredths
// of a percent, and the amount to be paid; and whether all of them can be stored.
func reckoned(lines []drawnLine, hundredths int64) (totals []*big.Int, sum, vat, pay *big.Int, fits bool) {
	sum = new(big.Int)
	for _, l := range lines {
		total := divided(new(big.Int).Mul(big.NewInt(l.count), big.NewInt(l.price)), 1_000_000)
		totals = append(totals, total)
		sum.Add(sum, total)
	}
	vat = divided(new(big.Int).Mul(sum, big.NewInt(hundredths)), 10_000)
	pay = new(big.Int).Add(sum, vat)
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(19), nil)
	tooLarge := func(n *big.Int) bool { return n.CmpAbs(limit) >= 0 }
	return totals, sum, vat, pay, !slices.ContainsFunc(append(slices.Clone(totals), sum, vat, pay), tooLarge)
}

// contract 10.82, 10.79
func TestInvoiceTotalsAgreeWithIntegerArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOfN(rapid.Custom(drawLine), 0, 8).Draw(t, "lines")
		hundredths := rapid.Int64Range(0, 10_000).Draw(t, "VAT")
		terms := performer.Terms{VATUse: rapid.Bool().Draw(t, "charged"), VATPercent: percent(decimalOf(big.NewInt(hundredths), 2))}
		if !terms.VATUse {
			hundredths = 0
		}
		a := required()
		var sent []invoice.LineAttributes
		for _, l := range drawn {
			sent = append(sent, line("x", decimalOf(big.NewInt(l.count), 6), decimalOf(big.NewInt(l.price), 4)))
		}
		a.Lines = lines(sent...)
		whole, err := invoice.New(issuer, a, terms, monday)
		addsUpTo(t, whole, err, drawn, hundredths)

		// Line by line it comes to the same.
		grown, err := invoice.New(issuer, required(), terms, monday)
		if err != nil {
			t.Fatal(err)
		}
		var added []drawnLine
		for i, l := range sent {
			err := grown.AddLine(l, terms, monday)
			addsUpTo(t, grown, err, append(slices.Clone(added), drawn[i]), hundredths)
			if err == nil {
				added = append(added, drawn[i])
			}
		}
	})
}

// addsUpTo checks the amounts of an invoice that is to have these lines, or that
// it was rejected if they come to too much.
func addsUpTo(t *rapid.T, inv *invoice.Invoice, err error, drawn []drawnLine, hundredths int64) {
	t.Helper()
	totals, sum, vat, pay, fits := reckoned(drawn, hundredths)
	if !fits {
		if !fault.Is(err, fault.Invalid) {
			t.Fatalf("%v come to %s and VAT %s, and are rejected with %v", drawn, sum, vat, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	s := inv.State()
	got := []string{s.TotalPrice.String(), s.VATPrice.String(), s.PayPrice.String(), fmt.Sprint(s.TotalCount)}
	want := []string{decimalOf(sum, 4), decimalOf(vat, 4), decimalOf(pay, 4), fmt.Sprint(len(drawn))}
	for i, l := range s.Lines {
		got, want = append(got, l.Total.String()), append(want, decimalOf(totals[i], 4))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

package invoice_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

func TestInvoiceTermsChangeWithLinesOrPerformerOnly(t *testing.T) { // contract 10.86
	units := same(1)
	units.Units = domain.Some("piece")
	for _, tt := range []struct {
		name string
		a    invoice.Attributes
		want string // VAT on a total of 17
	}{
		{"another number", invoice.Attributes{Number: domain.Some("R-2")}, "3.4000"},
		{"another client", invoice.Attributes{ClientID: domain.Some(client.ID(12))}, "3.4000"},
		{"paid", invoice.Attributes{Paid: domain.Some(true)}, "3.4000"},
		{"the same performer", invoice.Attributes{PerformerID: domain.Some(performer.ID(21)), Number: domain.Some("R-2")}, "3.4000"},
		{"the same lines", invoice.Attributes{Lines: lines(same(2), same(1)), Number: domain.Some("R-2")}, "3.4000"},
		{"another performer", invoice.Attributes{PerformerID: domain.Some(performer.ID(22))}, "1.1900"},
		{"another word in a line", invoice.Attributes{Lines: lines(units, same(2))}, "1.1900"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inv := invoice.Restore(stored(invoice.NotPaid))
			if err := inv.Update(tt.a, vat7, tuesday); err != nil {
				t.Fatal(err)
			}
			s := inv.State()
			if got := s.VATPrice.String(); got != tt.want {
				t.Errorf("VAT %s, want %s", got, tt.want)
			}
			if want := s.Terms.VATPercent.Of(s.TotalPrice).Round(); !s.VATPrice.Equal(want) {
				t.Errorf("VAT %s, yet the stored terms make it %s", s.VATPrice, want)
			}
		})
	}
}

func TestInvoiceTotalsTooLargeToStoreAreRejected(t *testing.T) { // contract 10.79
	const tooLarge = " would make the invoice's total or amount to pay too large: it must be below 10^15 in absolute value"
	huge := line("gold", "999999999999", "999")     // 998 999 999 999 001
	hugeDiscount := line("less", "-999999999", "1") // brings it back in range
	rich := func() *invoice.Invoice {
		s := stored(invoice.NotPaid)
		s.Terms = noVAT
		s.Lines[0].Count, s.Lines[0].Price, s.Lines[0].Total = quantity("999999999999"), amount("999"), total("998999999999001")
		s.TotalPrice, s.VATPrice, s.PayPrice = total("998999999998997"), money.Amount{}, total("998999999998997")
		return invoice.Restore(s)
	}
	for _, tt := range []struct {
		name string
		inv  *invoice.Invoice
		do   func(*invoice.Invoice) error
		want string
	}{
		{
			"the sum", rich(), func(inv *invoice.Invoice) error {
				return inv.Update(invoice.Attributes{Lines: lines(same(1), huge)}, noVAT, tuesday)
			},
			"invalid: items" + tooLarge,
		},
		{
			"the sum, with a line added alone", rich(), func(inv *invoice.Invoice) error { return inv.AddLine(huge, noVAT, tuesday) },
			"invalid: total_price" + tooLarge,
		},
		{
			"the amount to pay, under another performer", rich(), func(inv *invoice.Invoice) error {
				return inv.Update(invoice.Attributes{PerformerID: domain.Some(performer.ID(22))}, vat20, tuesday)
			},
			"invalid: performer_id" + tooLarge,
		},
		{
			"the amount to pay, with a line removed alone", rich(), func(inv *invoice.Invoice) error { return inv.RemoveLine(2, vat20, tuesday) },
			"invalid: total_price" + tooLarge,
		},
		{
			"large, yet in range", rich(), func(inv *invoice.Invoice) error {
				return inv.Update(invoice.Attributes{Lines: lines(same(1), hugeDiscount)}, noVAT, tuesday)
			},
			"<nil>",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := tt.inv.State()
			err := tt.do(tt.inv)
			if fmt.Sprint(err) != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
			if err != nil && !invoice.Same(before, tt.inv.State()) {
				t.Error("rejected, and changed all the same")
			}
		})
	}

	a := required()
	a.Lines = lines(huge, huge)
	if _, err := invoice.New(issuer, a, noVAT, monday); fmt.Sprint(err) != "invalid: items"+tooLarge {
		t.Errorf("a new one: %v", err)
	}
}

// checkAmounts compares the amounts of an invoice with exact arithmetic.
func checkAmounts(t *testing.T, s invoice.State) {
	t.Helper()
	sums, percents := map[string]*big.Rat{}, map[string]*big.Rat{}
	for _, l := range s.Lines {
		want := round(less(new(big.Rat).Mul(rat(l.Count), rat(l.Price)), l.Discount))
		if rat(l.Total).Cmp(want) != 0 {
			t.Errorf("%s × %s less %s %% = %s", l.Count, l.Price, l.Discount, l.Total)
		}
		category, percent := l.VAT.Category, l.VAT.Percent
		if category == "" {
			percent = s.Terms.VATPercent
		}
		switch {
		case !s.Terms.VATUse:
			category, percent = "", money.Percent{}
		case !percent.IsZero():
			category = performer.Standard
		}
		key := fmt.Sprint(category, percent)
		if sums[key] == nil {
			sums[key], percents[key] = new(big.Rat), rat(percent)
		}
		sums[key].Add(sums[key], want)
	}
	total, vat := new(big.Rat), new(big.Rat)
	for key, sum := range sums {
		rest := new(big.Rat).Sub(sum, round(share(sum, rat(s.Discount))))
		total.Add(total, rest)
		vat.Add(vat, round(share(rest, percents[key])))
	}
	if s.TotalCount != len(s.Lines) || rat(s.TotalPrice).Cmp(total) != 0 || rat(s.VATPrice).Cmp(vat) != 0 {
		t.Errorf("%d lines of %s come to %d, %s and VAT %s", len(s.Lines), total.FloatString(6), s.TotalCount, s.TotalPrice, s.VATPrice)
	}
	if rat(s.PayPrice).Cmp(total.Add(total, vat)) != 0 {
		t.Errorf("%s and VAT %s are to be paid as %s", s.TotalPrice, s.VATPrice, s.PayPrice)
	}
}

// share is that percentage of a number.
func share(of, percent *big.Rat) *big.Rat {
	return new(big.Rat).Quo(new(big.Rat).Mul(of, percent), big.NewRat(100, 1))
}

func less(a *big.Rat, p money.Percent) *big.Rat { return new(big.Rat).Sub(a, share(a, rat(p))) }

func rat(n fmt.Stringer) *big.Rat {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		panic(n.String())
	}
	return r
}

// round is the number with four digits, halves away from zero.
func round(x *big.Rat) *big.Rat {
	n := new(big.Int).Mul(new(big.Int).Abs(x.Num()), big.NewInt(20_000))
	n.Add(n, x.Denom())
	n.Quo(n, new(big.Int).Lsh(x.Denom(), 1))
	r := new(big.Rat).SetFrac(n, big.NewInt(10_000))
	if x.Sign() < 0 {
		r.Neg(r)
	}
	return r
}

func TestDiscountSumsNegativeLines(t *testing.T) {
	for want, totals := range map[string][]string{
		"0.0000": {"10", "0"},
		"3.5000": {"10", "-1.5", "0", "-2"},
	} {
		var lines []invoice.Line
		for _, s := range totals {
			lines = append(lines, invoice.Line{Total: amount(s)})
		}
		if got := invoice.Discount(lines).String(); got != want {
			t.Errorf("the discount of %v is %s, want %s", totals, got, want)
		}
	}
}

package invoice_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
)

func shown(s invoice.Step) string {
	return fmt.Sprintf("%s = %s, rounded %t = %s", s.Formula, s.Exact, s.IsRounded, s.Result)
}

// contract 10.106, 10.108
func TestExplanationShowsEachStep(t *testing.T) {
	var e invoice.Explanation
	var got []string
	for _, l := range [][2]string{{"3", "19.99"}, {"1.255", "0.3333"}, {"-1", "5.5"}, {"0.5", "-0.0001"}} {
		got = append(got, shown(e.AddLine(invoice.Line{Count: quantity(l[0]), Price: amount(l[1])})))
	}
	e.Terms = performer.Terms{VATUse: true, VATPercent: percent("7.5")}
	charged := e.Amounts()
	e.Terms = performer.Terms{VATPercent: percent("7.5")}
	free := e.Amounts()
	got = append(got, shown(charged.Total), shown(charged.VAT), shown(charged.Pay), shown(free.VAT), shown(free.Pay))
	want := []string{
		"count * price = 59.97, rounded true = 59.9700",
		"count * price = 0.4182915, rounded true = 0.4183",
		"count * price = -5.5, rounded true = -5.5000",
		"count * price = -0.00005, rounded true = -0.0001",
		"sum of the lines = 54.8882, rounded false = 54.8882",
		"total_price * vat_percent / 100 = 4.116615, rounded true = 4.1166",
		"total_price + vat_price = 59.0048, rounded false = 59.0048",
		"0 = 0, rounded false = 0.0000",
		"total_price + vat_price = 54.8882, rounded false = 54.8882",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// contract 10.108
func TestExplanationOfTotalWithDiscountOrAdjustments(t *testing.T) {
	freight := []invoice.Adjustment{{Reason: "freight", Amount: amount("5")}}
	for want, e := range map[string]invoice.Explanation{
		"sum of the lines = 20.0000":          {},
		"sum of total_price in vat = 19.0000": {Discount: percent("5")},
		"sum of total_price in vat = 25.0000": {Adjustments: freight},
		"sum of total_price in vat = 24.0000": {Discount: percent("5"), Adjustments: freight},
	} {
		e.Terms = vat20
		e.AddLine(invoice.Line{Count: quantity("2"), Price: amount("10")})
		if total := e.Amounts().Total; total.Formula+" = "+total.Result.String() != want {
			t.Errorf("got %s, want %s", shown(total), want)
		}
	}
}

// contract 10.108
func TestExplanationAgreesWithTheInvoice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOfN(rapid.Custom(drawLine), 0, 8).Draw(t, "lines")
		hundredths := rapid.Int64Range(0, 10_000).Draw(t, "VAT")
		terms := performer.Terms{
			VATUse: rapid.Bool().Draw(t, "charged"), VATPercent: percent(decimalOf(big.NewInt(hundredths), 2)), InCents: rapid.Bool().Draw(t, "in cents"),
		}
		a := required()
		var sent []invoice.LineAttributes
		for _, l := range drawn {
			sent = append(sent, line("x", decimalOf(big.NewInt(l.count), 6), decimalOf(big.NewInt(l.price), 4)))
		}
		a.Lines = lines(sent...)
		inv, err := invoice.New(issuer, a, terms, monday)
		if err != nil {
			t.Skip("the amounts are too large")
		}
		s := inv.State()
		e := invoice.Explanation{Terms: s.Terms}
		for _, l := range s.Lines {
			step := e.AddLine(l)
			exact := new(big.Rat).Mul(rational(t, l.Count.String()), rational(t, l.Price.String()))
			if rational(t, step.Exact.String()).Cmp(exact) != 0 || !step.Result.Equal(l.Total) {
				t.Errorf("the step is %s, want the result %s of %s", shown(step), l.Total, exact.FloatString(10))
			}
		}
		all := e.Amounts()
		if !all.Total.Result.Equal(s.TotalPrice) || !all.VAT.Result.Equal(s.VATPrice) || !all.Pay.Result.Equal(s.PayPrice) {
			t.Errorf("the steps are %s; %s; %s, want %s, %s, %s",
				shown(all.Total), shown(all.VAT), shown(all.Pay), s.TotalPrice, s.VATPrice, s.PayPrice)
		}
	})
}

func rational(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

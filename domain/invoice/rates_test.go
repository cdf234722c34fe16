package invoice_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

// rate has these attributes: "null" is one that is emptied, "" one that is not sent.
func rate(p, category string) (a invoice.RateAttributes) {
	switch p {
	case "":
	case "null":
		a.Percent = domain.Some(domain.Optional[money.Percent]{})
	default:
		a.Percent = domain.Some(domain.Some(percent(p)))
	}
	if category != "" {
		a.Category = domain.Some(performer.VATCategory(strings.TrimPrefix(category, "null")))
	}
	return a
}

// taxed is a line for 100 with this VAT.
func taxed(p, category string) invoice.LineAttributes {
	a := line("thing", "1", "100")
	a.VAT = rate(p, category)
	return a
}

// contract 10.153
func TestRateOfALineFollowsFromWhatIsSent(t *testing.T) {
	for _, tt := range []struct {
		percent, category string
		terms             performer.Terms
		want, wrong       string
	}{
		{"", "", vat20, " 0.00", ""},
		{"7", "", vat20, "standard 7.00", ""},
		{"20", "", vat20, "standard 20.00", ""},
		{"0", "", vat20, "zero 0.00", ""},
		{"", "exempt", vat20, "exempt 0.00", ""},
		{"null", "reverse_charge", vat20, "reverse_charge 0.00", ""},
		{"0", "outside", vat20, "outside 0.00", ""},
		{"", "standard", vat20, "standard 20.00", ""},
		{"7", "standard", vat20, "standard 7.00", ""},
		{"7", "null", vat20, "standard 7.00", ""},
		{"null", "null", vat20, " 0.00", ""},
		{"null", "", noVAT, " 0.00", ""},
		{"", "null", noVAT, " 0.00", ""},
		{"7", "exempt", vat20, "", "vat_percent must be 0 with the VAT category exempt"},
		{"7", "zero", vat20, "", "vat_percent must be 0 with the VAT category zero"},
		{"0", "standard", vat20, "", "vat_percent must be above 0 with the VAT category standard"},
		{"", "standard", performer.Terms{VATUse: true}, "", "vat_percent must be above 0 with the VAT category standard"},
		{"", "luxury", vat20, "", "vat_category must be one of standard, zero, exempt, reverse_charge, outside"},
		{"7", "", noVAT, "", "vat_percent must be empty: the performer has no VAT"},
		{"0", "", noVAT, "", "vat_percent must be empty: the performer has no VAT"},
		{"", "exempt", noVAT, "", "vat_category must be empty: the performer has no VAT"},
	} {
		inv := must(invoice.New(issuer, required(), tt.terms, monday))
		switch err := inv.AddLine(taxed(tt.percent, tt.category), tt.terms, monday); {
		case tt.wrong != "":
			if err == nil || !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("%+v: %v", tt, err)
			}
		case err != nil:
			t.Errorf("%+v: %v", tt, err)
		default:
			if got := inv.State().Lines[0].VAT; string(got.Category)+" "+got.Percent.String() != tt.want {
				t.Errorf("%+v: %v", tt, got)
			}
		}
	}
}

// contract 10.153
func TestRateOfALineStaysUntilItIsSent(t *testing.T) {
	a := required()
	a.Lines = lines(taxed("", "exempt"), taxed("7", ""))
	s := must(invoice.New(issuer, a, vat20, monday)).State()
	s.Lines[0].ID, s.Lines[1].ID = 1, 2
	inv := invoice.Restore(s)
	for _, tt := range []struct {
		id         invoice.LineID
		a          invoice.LineAttributes
		terms      performer.Terms
		want, vats string
	}{
		{1, invoice.LineAttributes{Name: domain.Some("other")}, vat7, "exempt 0.00", "7.0000"},
		{1, invoice.LineAttributes{VAT: rate("19", "")}, vat7, "standard 19.00", "26.0000"},
		{1, invoice.LineAttributes{VAT: rate("null", "")}, vat20, " 0.00", "27.0000"},
		{2, invoice.LineAttributes{VAT: rate("", "reverse_charge")}, vat20, "reverse_charge 0.00", "20.0000"},
		{2, invoice.LineAttributes{Name: domain.Some("other")}, noVAT, "reverse_charge 0.00", "0.0000"},
	} {
		if err := inv.ChangeLine(tt.id, tt.a, tt.terms, tuesday); err != nil {
			t.Fatal(err)
		}
		now := inv.State()
		got := now.Lines[tt.id-1].VAT
		if string(got.Category)+" "+got.Percent.String() != tt.want || now.VATPrice.String() != tt.vats {
			t.Errorf("%+v: %v, VAT %s", tt, got, now.VATPrice)
		}
		checkAmounts(t, now)
	}
}

// contract 10.154
func TestInvoiceWithRatesOfItsOwnStaysWithPerformersThatHaveVAT(t *testing.T) {
	a := required()
	a.Lines = lines(taxed("", ""), taxed("7", ""))
	s := must(invoice.New(issuer, a, vat20, monday)).State()
	move := invoice.Attributes{PerformerID: domain.Some(performer.ID(22))}
	inv := loaded(s)
	err := inv.Update(move, noVAT, tuesday)
	if want := "performer_id has no VAT, but lines or adjustments of the invoice have a VAT rate of their own"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("moved to a performer without VAT: %v", err)
	}
	if err := inv.Update(move, vat7, tuesday); err != nil || inv.State().VATPrice.String() != "14.0000" {
		t.Errorf("moved to one with VAT: %v, %+v", err, inv.State())
	}
	plain := loaded(stored(invoice.NotPaid))
	if err := plain.Update(move, noVAT, tuesday); err != nil || !plain.State().VATPrice.IsZero() {
		t.Errorf("without rates of its own: %v, %+v", err, plain.State())
	}
	both := move
	both.Number = domain.Some("")
	if err := loaded(s).Update(both, noVAT, tuesday); err == nil || len(fault.As(err).Fields) != 1 {
		t.Errorf("with another fault: %v", err)
	}
}

// contract 10.82
func TestDiscountIsTakenOffLinesAndRates(t *testing.T) {
	a := required()
	a.Discount = domain.Some(percent("10"))
	reduced := taxed("7", "")
	reduced.Discount, reduced.Total = domain.Some(percent("33.33")), domain.Some(claim("66.67"))
	a.Lines = lines(taxed("", ""), reduced, taxed("", "exempt"))
	inv := must(invoice.New(issuer, a, vat20, monday))
	s := inv.State()
	if s.Lines[1].Total.String() != "66.6700" || s.TotalPrice.String() != "240.0030" || s.VATPrice.String() != "22.2002" {
		t.Errorf("it is %+v", s)
	}
	checkAmounts(t, s)
	wrong := reduced
	wrong.Total = domain.Some(claim("100"))
	if err := inv.AddLine(wrong, vat20, monday); err == nil || !strings.Contains(err.Error(), "total_price must be 66.6700") {
		t.Errorf("with a total before the discount: %v", err)
	}
	if err := loaded(s).Update(invoice.Attributes{Discount: domain.Some(percent("100"))}, vat7, tuesday); err != nil {
		t.Error(err)
	}
	header := loaded(s)
	if err := header.Update(invoice.Attributes{Discount: domain.Some(money.Percent{})}, vat7, tuesday); err != nil {
		t.Error(err)
	}
	if now := header.State(); now.TotalPrice.String() != "266.6700" || now.Terms != vat7 || now.VATPrice.String() != "11.6669" {
		t.Errorf("without the discount it is %+v", now)
	}
	closed := stored(invoice.Closed)
	if err := invoice.Restore(closed).Update(invoice.Attributes{Discount: a.Discount}, vat20, tuesday); !fault.Is(err, fault.Conflict) {
		t.Errorf("of a closed invoice: %v", err)
	}
}

// contract 10.79
func TestTotalsOfEachKindHaveToBeStorable(t *testing.T) {
	huge := taxed("100", "")
	huge.Count, huge.Price = domain.Some(quantity("999999999999")), domain.Some(amount("600"))
	less := taxed("", "exempt")
	less.Count, less.Price = domain.Some(quantity("-999999999999")), domain.Some(amount("600"))
	for name, a := range map[string][]invoice.LineAttributes{
		"the VAT":             {huge, huge, less, less, less},
		"the total":           {huge, less, less, less},
		"both but the amount": {huge, huge, less, less, less, less}, // nothing is to be paid
		"the amount":          {huge, less, huge},
	} {
		r := required()
		r.Lines = lines(a...)
		if _, err := invoice.New(issuer, r, vat20, monday); err == nil || !strings.Contains(err.Error(), "items would make the invoice's total") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// contract 10.82, 10.155
func TestAmountsByRateAddUpToThoseOfTheInvoice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := performer.Terms{
			VATUse: rapid.Bool().Draw(t, "charged"), VATPercent: percent(rapid.SampledFrom([]string{"0", "20", "7.7"}).Draw(t, "VAT")),
			InCents: rapid.Bool().Draw(t, "in cents"),
		}
		discount := percent(rapid.SampledFrom([]string{"0", "10", "0.01", "100"}).Draw(t, "discount"))
		a := required()
		a.Discount = domain.Some(discount)
		var sent []invoice.LineAttributes
		for _, l := range rapid.SliceOfN(rapid.Custom(drawLine), 1, 8).Draw(t, "lines") {
			sent = append(sent, invoice.LineAttributes{
				Name: domain.Some("x"), Count: domain.Some(quantity(decimalOf(big.NewInt(l.count%1_000_000_000), 6))), Price: domain.Some(amount(decimalOf(big.NewInt(l.price%1_000_000), 4))),
			})
			if sent[len(sent)-1].Count.Or(quantity("0")).IsZero() {
				sent[len(sent)-1].Count = domain.Some(quantity("1"))
			}
			if terms.VATUse {
				sent[len(sent)-1].VAT = rapid.SampledFrom([]invoice.RateAttributes{{}, {}, rate("20", ""), rate("7", ""), rate("", "exempt")}).Draw(t, "rate")
			}
		}
		a.Lines = lines(sent...)
		s := must(invoice.New(issuer, a, terms, monday)).State()
		e := invoice.Explanation{Terms: s.Terms, Discount: s.Discount}
		for _, l := range s.Lines {
			e.AddLine(l)
		}
		amounts := e.Amounts()
		var listed, total, vat money.Amount
		for _, r := range amounts.ByRate {
			if !r.Total.Result.Equal(r.Lines.Minus(r.Discount.Result)) {
				t.Errorf("%s less %s is %s", r.Lines, r.Discount.Result, r.Total.Result)
			}
			listed, total, vat = listed.Plus(r.Lines), total.Plus(r.Total.Result), vat.Plus(r.VAT.Result)
		}
		var sum money.Amount
		for _, l := range s.Lines {
			sum = sum.Plus(l.Total)
		}
		if !listed.Equal(sum) || !total.Equal(s.TotalPrice) || !vat.Equal(s.VATPrice) || !amounts.Pay.Result.Equal(s.PayPrice) {
			t.Errorf("%+v come to %+v", amounts.ByRate, s)
		}
		if !slices.IsSortedFunc(amounts.ByRate, func(a, b invoice.RateAmounts) int { return b.Percent.Compare(a.Percent) }) {
			t.Errorf("the rates are in the order %+v", amounts.ByRate)
		}
		one := !slices.ContainsFunc(s.Lines, func(l invoice.Line) bool { return l.VAT.Category != "" })
		var plain money.Amount
		if terms.VATUse {
			plain = terms.Round(terms.VATPercent.Of(sum))
		}
		if one && discount.IsZero() && (!s.TotalPrice.Equal(sum) || !s.VATPrice.Equal(plain)) {
			t.Errorf("with one rate and no discount: %+v, want VAT %s", s, plain)
		}
	})
}

// contract 4.58
func TestInvoicesWithOtherSumsDiffer(t *testing.T) {
	sums := func(r invoice.Rate, count int, total string) invoice.State {
		s := stored(invoice.NotPaid)
		s.RateSums = invoice.RateSums{{Rate: r, Count: count, Total: amount(total)}}
		return s
	}
	exempt := invoice.Rate{Category: performer.Exempt}
	base := sums(exempt, 2, "17")
	if !invoice.Same(base, sums(exempt, 2, "17.0")) {
		t.Error("equal sums differ")
	}
	for name, other := range map[string]invoice.State{
		"rate": sums(invoice.Rate{}, 2, "17"), "count": sums(exempt, 3, "17"), "total": sums(exempt, 2, "18"),
	} {
		if invoice.Same(base, other) {
			t.Errorf("another %s goes unseen", name)
		}
	}
	vat := func(category performer.VATCategory, rate, total, vat string) invoice.State {
		s := stored(invoice.NotPaid)
		s.VAT = []invoice.RateTotal{{Category: category, Percent: percent(rate), Total: amount(total), VAT: amount(vat)}}
		return s
	}
	base = vat(performer.Standard, "20", "17", "3.4")
	for name, other := range map[string]invoice.State{
		"category": vat("", "20", "17", "3.4"), "rate": vat(performer.Standard, "7", "17", "3.4"),
		"total": vat(performer.Standard, "20", "18", "3.4"), "VAT": vat(performer.Standard, "20", "17", "3.5"),
	} {
		if invoice.Same(base, other) {
			t.Errorf("another %s of a stored total goes unseen", name)
		}
	}
}

// contract 10.153
func TestAmountsHaveEachRateOnce(t *testing.T) {
	reduced := invoice.Rate{Category: performer.Standard, Percent: percent("7")}
	sums := invoice.RateSums{}.With(reduced, 2, amount("100")).With(reduced, 1, amount("50"))
	if len(sums) != 1 || sums[0].Count != 3 || !sums[0].Total.Equal(amount("150")) {
		t.Errorf("the sums are %v", sums)
	}
	freight := invoice.Adjustment{Reason: "freight", Amount: amount("5"), VATCategory: performer.Standard, VATPercent: percent("7")}
	all := invoice.AmountsByRate(invoice.Sums{Lines: sums, Adjustments: []invoice.Adjustment{freight}}, invoice.Sums{}, percent("0"), vat20)
	if len(all) != 1 || all[0].Total.Result.String() != "155.0000" || all[0].VAT.Result.String() != "10.8500" {
		t.Errorf("the amounts are %+v", all)
	}
}

// contract 4.58, 10.153
func TestRateThatIsSentBackIsUnchangedWithoutVAT(t *testing.T) {
	a := required()
	a.Lines = lines(taxed("7", ""), taxed("", "exempt"))
	s := must(invoice.New(issuer, a, vat20, monday)).State()
	s.Lines[0].ID, s.Lines[1].ID = 1, 2
	reduced, exempt := same(1), same(2)
	reduced.VAT, exempt.VAT = rate("7", "standard"), rate("0", "exempt")
	inv := invoice.Restore(s)
	if err := inv.Update(invoice.Attributes{Lines: lines(reduced, exempt)}, noVAT, tuesday); err != nil || !invoice.Same(inv.State(), s) {
		t.Errorf("sent back, it is %+v, %v", inv.State(), err)
	}
	reduced.VAT = rate("8", "standard")
	if err := inv.Update(invoice.Attributes{Lines: lines(reduced, exempt)}, noVAT, tuesday); err == nil {
		t.Error("another rate is taken without VAT")
	}
}

// contract 12.97
func TestWrongRatesAndTermsAreJudgedAsIfTheyWereNotSent(t *testing.T) {
	s := stored(invoice.NotPaid)
	s.Trade = invoice.TradeTerms{
		DeliveryDate: "2024-02-01", PeriodFrom: "2024-01-01", PeriodTo: "2024-01-31", DeliveryCountry: "DE", Project: "P", DeliveryName: "N",
	}
	wrong := invoice.TradeTerms{
		DeliveryDate: "soon", PeriodFrom: "2024-02-01", PeriodTo: "2024-01-02", DeliveryCountry: "XX", Project: strings.Repeat("x", 256), DeliveryName: "M",
	}
	want := s.Trade
	want.DeliveryName = "M"
	if got := s.With(invoice.Attributes{Trade: terms(wrong)}, vat20, tuesday).Trade; got != want {
		t.Errorf("the terms are judged as %+v", got)
	}
	line := invoice.LineAttributes{VAT: rate("7", "exempt")}
	if got := s.WithLine(1, line, vat20); got.Lines[0].VAT != (invoice.Rate{}) || !got.VATPrice.Equal(s.VATPrice) {
		t.Errorf("the line is judged as %+v", got.Lines[0])
	}
}

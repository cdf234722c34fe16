package invoice_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
)

// adjustment is one by a percentage, which ends with %, or by an amount.
func adjustment(value string) invoice.AdjustmentAttributes {
	a := invoice.AdjustmentAttributes{Reason: domain.Some("because")}
	if p, isPercent := strings.CutSuffix(value, "%"); isPercent {
		a.Percent = domain.Some(must(money.ParseChange(p)))
	} else if value != "" {
		a.Amount = domain.Some(amount(value))
	}
	return a
}

func adjusted(values ...string) domain.Optional[[]invoice.AdjustmentAttributes] {
	all := []invoice.AdjustmentAttributes{}
	for _, v := range values {
		all = append(all, adjustment(v))
	}
	return domain.Some(all)
}

// amountsIn shows adjustments.
func amountsIn(all []invoice.Adjustment) string {
	var shown []string
	for _, a := range all {
		shown = append(shown, strings.TrimSpace(fmt.Sprintf("%s %s", a.Amount.Fixed(2), a.VATCategory)))
	}
	return strings.Join(shown, ", ")
}

// contract 10.158, 10.82
func TestLineIsAdjustedByPercentagesAndAmounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		count, price, base, discount string
		adjustments                  []string
		total, amounts               string
	}{
		{"3", "19.99", "", "0", []string{"-10%"}, "53.9700", "-6.00"},
		{"3", "19.99", "", "10", []string{"-10%", "4.95"}, "52.9200", "-6.00, 4.95"},
		{"3", "19.99", "", "0", []string{"-0.01"}, "59.9600", "-0.01"},
		{"250", "12.5", "100", "0", nil, "31.2500", ""},
		{"1", "1", "3", "0", []string{"50%"}, "0.5000", "0.17"},
		{"2", "1", "3", "0", nil, "0.6700", ""},
		{"-2", "10", "", "0", []string{"-10%", "1"}, "-17.0000", "2.00, 1.00"},
	} {
		l := line("pens", tt.count, tt.price)
		l.Discount, l.Adjustments = domain.Some(percent(tt.discount)), adjusted(tt.adjustments...)
		if tt.base != "" {
			l.BaseCount = domain.Some(quantity(tt.base))
		}
		a := required()
		a.Lines = lines(l)
		s := must(invoice.New(issuer, a, inCents, monday)).State()
		if got := s.Lines[0]; got.Total.String() != tt.total || amountsIn(got.Adjustments) != tt.amounts || !s.TotalPrice.Equal(got.Total) {
			t.Errorf("%+v: %s with %s", tt, got.Total, amountsIn(got.Adjustments))
		}
	}
}

// contract 10.159
func TestInvoiceIsAdjustedByRate(t *testing.T) {
	t.Parallel()
	a := required()
	a.Lines = lines(line("pens", "1", "100"))
	a.Adjustments, a.Discount = adjusted("-5%", "4.95"), domain.Some(percent("10"))
	inv := must(invoice.New(issuer, a, vat20, monday))
	check := func(what, adjustments, total, vat string) {
		t.Helper()
		s := inv.State()
		if got := amountsIn(s.Adjustments); got != adjustments || s.TotalPrice.Fixed(2) != total || s.VATPrice.Fixed(2) != vat {
			t.Errorf("%s: %s; total %s, VAT %s", what, got, s.TotalPrice, s.VATPrice)
		}
		stored := s.VAT
		if len(stored) == 0 {
			t.Fatalf("%s: nothing is stored by rate", what)
		}
		var sum, sumOfVAT money.Amount
		for _, r := range stored {
			sum, sumOfVAT = sum.Plus(r.Total), sumOfVAT.Plus(r.VAT)
		}
		if !sum.Equal(s.TotalPrice) || !sumOfVAT.Equal(s.VATPrice) {
			t.Errorf("%s: by rate it is %+v", what, stored)
		}
	}
	check("of all lines", "-5.00, 4.95", "89.95", "17.99")
	if err := inv.AddLine(line("ink", "2", "50"), vat20, tuesday); err != nil {
		t.Fatal(err)
	}
	check("with another line", "-10.00, 4.95", "174.95", "34.99")
	const ambiguous = "invalid: adjustments must have a vat_percent or vat_category each if the lines have several VAT rates; adjustments[0] has none"
	if err := inv.AddLine(taxed("7", ""), vat20, tuesday); fmt.Sprint(err) != ambiguous {
		t.Errorf("with another rate: %v", err)
	}
	reduced, own := adjustment("-5%"), adjustment("4.95")
	reduced.VAT, own.VAT = rate("7", ""), rate("20", "")
	both := domain.Some([]invoice.AdjustmentAttributes{reduced, own})
	if err := inv.Update(invoice.Attributes{Adjustments: both}, vat20, tuesday); err != nil {
		t.Fatal(err)
	}
	check("a rate without lines", "0.00 standard, 4.95 standard", "184.95", "36.99")
	if err := inv.AddLine(taxed("7", ""), vat20, tuesday); err != nil {
		t.Fatal(err)
	}
	check("two rates", "-5.00 standard, 4.95 standard", "269.95", "42.94")
	before := inv.State()
	if err := inv.Update(invoice.Attributes{Adjustments: both}, vat20, tuesday.AddDate(0, 0, 1)); err != nil || !invoice.Same(before, inv.State()) {
		t.Errorf("sent again: %v, %+v", err, inv.State())
	}
	if err := inv.Update(invoice.Attributes{Adjustments: adjusted()}, vat20, tuesday); err != nil {
		t.Fatal(err)
	}
	check("without adjustments", "", "270.00", "42.30")
}

// contract 10.162
func TestWrongAdjustmentsAreNamed(t *testing.T) {
	t.Parallel()
	nameless, many := adjustment("1"), make([]string, invoice.MaxAdjustments+1)
	nameless.Reason = domain.Optional[string]{}
	for i := range many {
		many[i] = "1"
	}
	l := line("pens", "1", "100")
	l.Adjustments, l.BaseCount = adjusted("", "0", "0.001"), domain.Some(quantity("0"))
	long := line("ink", "1", "1")
	long.Adjustments, long.BaseCount = adjusted(many...), domain.Some(quantity("-1"))
	a := required()
	a.Lines, a.Currency, a.Exchange = lines(l, long), domain.Some("KWD"), domain.Some(quantity("-1"))
	wrong := adjustment("1")
	wrong.VAT = rate("7", "zero")
	a.Adjustments = domain.Some([]invoice.AdjustmentAttributes{nameless, wrong})
	_, err := invoice.New(issuer, a, vat20, monday)
	want := strings.Join([]string{
		"invalid: adjustments[0].reason is required", "adjustments[1].vat_percent must be 0 with the VAT category zero",
		"currency must not have more than 2 fraction digits", "exchange_rate must be above 0",
		"items[0].adjustments[0].amount or percent is required", "items[0].adjustments[1].amount must not be 0",
		"items[0].adjustments[2].amount must have at most 2 fraction digits", "items[0].base_count must be above 0",
		"items[1].adjustments must have at most 20 entries", "items[1].base_count must be above 0",
	}, "; ")
	if fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	a = required()
	a.Currency = domain.Some("XYZ")
	if _, err := invoice.New(issuer, a, vat20, monday); err == nil || !strings.Contains(err.Error(), "currency must be a currency") {
		t.Errorf("an unknown currency: %v", err)
	}
	free := adjustment("1")
	free.VAT = rate("7", "")
	a = required()
	a.Adjustments = domain.Some([]invoice.AdjustmentAttributes{free})
	if _, err := invoice.New(issuer, a, noVAT, monday); err == nil || !strings.Contains(err.Error(), "adjustments[0].vat_percent must be empty: the performer has no VAT") {
		t.Errorf("a rate without VAT: %v", err)
	}
	charged := must(invoice.New(issuer, a, vat20, monday))
	move := invoice.Attributes{PerformerID: domain.Some(charged.State().PerformerID + 1)}
	if err := charged.Update(move, noVAT, tuesday); err == nil || !strings.Contains(err.Error(), "performer_id has no VAT, but lines or adjustments") {
		t.Errorf("moved to a performer without VAT: %v", err)
	}
}

// contract 10.161
func TestStatedTotalStaysWhileTheLineDoes(t *testing.T) {
	t.Parallel()
	l := line("Paper", "1.255", "0.3333")
	l.Total = domain.Some(claim("0.43"))
	a := required()
	a.Lines = lines(l)
	s := must(invoice.New(issuer, a, inCents, monday)).State()
	s.Lines[0].ID = 1
	inv := loaded(s, 1)
	for _, tt := range []struct {
		a    invoice.LineAttributes
		want string
	}{
		{invoice.LineAttributes{Name: domain.Some("Card")}, "0.4300"},
		{invoice.LineAttributes{Price: domain.Some(amount("0.3333"))}, "0.4300"},
		{invoice.LineAttributes{Price: domain.Some(amount("0.3334"))}, "0.4200"},
		{invoice.LineAttributes{Total: domain.Some(claim("0.41"))}, "0.4100"},
		{invoice.LineAttributes{Total: domain.Some(claim("0.42"))}, "0.4200"},
	} {
		if err := inv.ChangeLine(1, tt.a, inCents, tuesday); err != nil {
			t.Fatal(err)
		}
		if got := inv.State(); got.Lines[0].Total.String() != tt.want || got.TotalPrice.String() != tt.want {
			t.Errorf("%+v: %s", tt.a, got.Lines[0].Total)
		}
	}
	e := invoice.Explanation{Terms: inCents}
	const want = "total_price as it was sent, within a cent of count * price = 0.43, rounded false = 0.4300"
	if got := shown(e.AddLine(s.Lines[0])); got != want {
		t.Errorf("explained as %s, want %s", got, want)
	}
	exact := line("Paper", "1.255", "0.3333")
	exact.Total = domain.Some(claim("0.42"))
	a.Lines = lines(exact)
	if _, err := invoice.New(issuer, a, vat20, monday); err != nil { // within 0.005, and it stays exact
		t.Error(err)
	}
}

// contract 10.163
func TestCreditNotesHaveTheirPartOfAdjustments(t *testing.T) {
	t.Parallel()
	a := required()
	pens, ink := line("pens", "3", "10"), line("ink", "1", "10")
	pens.Adjustments, ink.VAT = adjusted("-1", "10%"), rate("7", "")
	allowance, freight := adjustment("-10%"), adjustment("5")
	allowance.VAT, freight.VAT = rate("20", ""), rate("0", "")
	a.Lines, a.Adjustments = lines(pens, ink), domain.Some([]invoice.AdjustmentAttributes{allowance, freight})
	a.Currency, a.Exchange = domain.Some("chf"), domain.Some(quantity("1.05"))
	s := must(invoice.New(issuer, a, vat20, monday)).State()
	s.Lines[0].ID, s.Lines[1].ID, s.ID, s.IssuedOn = 1, 2, 1, monday
	inv, former := invoice.Restore(s), invoice.Former{}.Clone()
	var got []string
	for _, parts := range [][]invoice.CreditedLine{
		{{ID: 1, Count: domain.Some(quantity("1"))}}, {{ID: 2}}, {{ID: 1, Count: domain.Some(quantity("1"))}}, {{ID: 1}},
	} {
		request := invoice.CreditRequest{Issuer: issuer, Date: tuesday, Former: former.Clone(), Lines: domain.Some(parts)}
		request.Former.Adjustments = former.Adjustments
		note := must(inv.Credit(request, tuesday)).State()
		got = append(got, fmt.Sprintf("%s (%s), %s: %s", note.Lines[0].Total.Fixed(4), amountsIn(note.Lines[0].Adjustments), amountsIn(note.Adjustments), note.PayPrice.Fixed(4)))
		if note.Currency != "CHF" || !note.Exchange.Equal(quantity("1.05")) {
			t.Errorf("the currency is %s at %s", note.Currency, note.Exchange)
		}
		former.Add(note.Lines[0])
		former.AddAdjustments(note.Adjustments)
	}
	want := []string{
		"-10.6667 (-0.67), 1.07 standard, 0.00 zero: -11.5200",
		"-10.0000 (), 0.00 standard, 0.00 zero: -10.7000",
		"-10.6666 (-0.67), 1.07 standard, 0.00 zero: -11.5200",
		"-10.6667 (-0.67), 1.07 standard, -5.00 zero: -16.5200",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if s.PayPrice.Fixed(4) != "50.2600" || inv.State().Status != invoice.Cancelled {
		t.Errorf("the invoice is of %s, and %s", s.PayPrice, inv.State().Status)
	}
}

// contract 10.163
func TestPartOfALineIsAdjustedForTheReasonsOfTheLine(t *testing.T) {
	t.Parallel()
	off, sent, long := line("pens", "2", "10"), line("ink", "3", "0.3333"), line("paper", "2", "10")
	off.Discount, off.Adjustments = domain.Some(percent("10")), adjusted("1", "-2")
	sent.Total = domain.Some(claim("1.01"))
	reason := strings.Repeat("r", 250)
	first, second := adjustment("1"), adjustment("1")
	first.Reason, second.Reason = domain.Some(reason), domain.Some(reason)
	long.Adjustments = domain.Some([]invoice.AdjustmentAttributes{first, second})
	a := required()
	a.Lines = lines(off, sent, long)
	s := must(invoice.New(issuer, a, inCents, monday)).State()
	s.Lines[0].ID, s.Lines[1].ID, s.Lines[2].ID, s.ID, s.IssuedOn = 1, 2, 3, 1, monday
	one := domain.Some(quantity("1"))
	request := invoice.CreditRequest{
		Issuer: issuer, Date: tuesday, Former: invoice.Former{}.Clone(),
		Lines: domain.Some([]invoice.CreditedLine{{ID: 1, Count: one}, {ID: 2, Count: one}, {ID: 3, Count: one}}),
	}
	note := must(invoice.Restore(s).Credit(request, tuesday)).State()
	for i, want := range []string{"Discount 10.00 %; because; because", "Rounding", reason + "; rrr"} {
		if got := note.Lines[i].Adjustments; len(got) != 1 || got[0].Reason != want {
			t.Errorf("line %d is adjusted by %v, for %s", i+1, got, want)
		}
	}
	e := invoice.Explanation{Terms: inCents, Former: invoice.Former{Lines: map[invoice.LineID]invoice.FormerLine{
		1: {Count: quantity("-1"), Total: amount("-8.50")},
	}}}
	if got := shown(e.AddLine(note.Lines[0])); got != "round(count * price) + 1.5000 = -8.5, rounded true = -8.5000" {
		t.Errorf("explained as %s", got)
	}
}

// contract 10.82
func TestPriceOfSeveralIsExplained(t *testing.T) {
	t.Parallel()
	e := invoice.Explanation{Terms: inCents}
	l := invoice.Line{Count: quantity("250"), Price: amount("12.5"), BaseCount: quantity("100"), Total: amount("31.25")}
	if got := shown(e.AddLine(l)); got != "count * price / base_count = 31.25, rounded true = 31.2500" {
		t.Errorf("explained as %s", got)
	}
}

// contract 4.58, 10.158
func TestAdjustmentThatIsSentBackIsUnchanged(t *testing.T) {
	t.Parallel()
	s := stored(invoice.NotPaid)
	s.Lines[0].Adjustments = []invoice.Adjustment{{Reason: "because", Amount: amount("-0.6667")}} // of a credit note, finer than what may be sent
	s.Lines[0].Total, s.TotalPrice, s.VATPrice = amount("20.3333"), amount("16.3333"), amount("3.2667")
	s.PayPrice, s.OwedPrice = amount("19.6"), amount("19.6")
	sent := same(1)
	sent.Adjustments = adjusted("-0.6667")
	inv := invoice.Restore(s)
	if err := inv.Update(invoice.Attributes{Lines: lines(sent, same(2))}, vat20, tuesday); err != nil || !invoice.Same(inv.State(), s) {
		t.Errorf("%+v, %v", inv.State(), err)
	}
	another := adjustment("-0.6667")
	another.Reason = domain.Some("another")
	sent.Adjustments = domain.Some([]invoice.AdjustmentAttributes{another})
	if err := inv.Update(invoice.Attributes{Lines: lines(sent, same(2))}, vat20, tuesday); fmt.Sprint(err) !=
		"invalid: items[0].adjustments[0].amount must have at most 2 fraction digits" {
		t.Errorf("for another reason: %v", err)
	}
}

func TestInvoicesWithOtherAdjustmentsDiffer(t *testing.T) {
	t.Parallel()
	with := func(a ...invoice.Adjustment) invoice.State {
		s := stored(invoice.NotPaid)
		s.Adjustments = a
		return s
	}
	base := invoice.Adjustment{Reason: "because", Percent: percent("2"), Amount: amount("5"), VATCategory: "standard", VATPercent: percent("20")}
	if !invoice.Same(with(base), with(base)) {
		t.Error("equal adjustments differ")
	}
	for name, change := range map[string]func(*invoice.Adjustment){
		"reason":   func(a *invoice.Adjustment) { a.Reason = "another" },
		"percent":  func(a *invoice.Adjustment) { a.Percent = percent("3") },
		"amount":   func(a *invoice.Adjustment) { a.Amount = amount("6") },
		"category": func(a *invoice.Adjustment) { a.VATCategory = "exempt" },
		"rate":     func(a *invoice.Adjustment) { a.VATPercent = percent("7") },
	} {
		other := base
		change(&other)
		if invoice.Same(with(base), with(other)) {
			t.Errorf("another %s goes unseen", name)
		}
	}
	if invoice.Same(with(base), with(base, base)) || invoice.Same(with(base), with()) {
		t.Error("another number of adjustments goes unseen")
	}
}

// contract 10.158
func TestReasonsOfAdjustmentsCountAsText(t *testing.T) {
	a := required()
	l := line("pens", "1", "100")
	l.Adjustments = adjusted("-5%", "3")
	a.Lines = lines(l)
	if got, want := must(invoice.New(issuer, a, vat20, monday)).State().TextBytes, len("pens")+2*len("because"); got != want {
		t.Errorf("there are %d bytes of text, want %d", got, want)
	}
}

func TestLineHasAMaximumNumberOfAdjustments(t *testing.T) {
	t.Parallel()
	most := make([]string, invoice.MaxAdjustments)
	for i := range most {
		most[i] = "1"
	}
	l := line("pens", "1", "100")
	l.Adjustments = adjusted(most...)
	a := required()
	a.Lines = lines(l)
	if s := must(invoice.New(issuer, a, vat20, monday)).State(); !s.Lines[0].Total.Equal(amount("120")) {
		t.Errorf("with as many as possible, it is %s", s.Lines[0].Total)
	}
}

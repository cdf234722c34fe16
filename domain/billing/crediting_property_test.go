package billing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

// drawInvoice draws an issued invoice, whose lines have one sign, unless it has a discount.
func drawInvoice(t *rapid.T) *invoice.Invoice {
	text := func(name string, whole, fraction int) string {
		return fmt.Sprintf("%d.%0*d", rapid.IntRange(0, whole).Draw(t, name), fraction, rapid.IntRange(1, 99).Draw(t, name+" behind the point"))
	}
	sign := rapid.SampledFrom([]string{"", "", "-"}).Draw(t, "sign")
	var lines []invoice.LineAttributes
	for i := range rapid.IntRange(1, 5).Draw(t, "lines") {
		count := fmt.Sprint(rapid.IntRange(1, 50).Draw(t, "count"))
		if rapid.Bool().Draw(t, "is a fraction") {
			count = text("count", 20, rapid.SampledFrom([]int{2, 3, 6}).Draw(t, "digits of the count"))
		}
		if i > 0 && rapid.IntRange(0, 9).Draw(t, "discount") == 0 {
			count = "-0.01"
		}
		count = strings.TrimPrefix(sign+count, "--")
		lines = append(lines, invoice.LineAttributes{
			Name: domain.Some("goods"), Count: domain.Some(must(money.ParseQuantity(count))),
			Price:    domain.Some(must(money.ParseAmount(text("price", 3, rapid.SampledFrom([]int{2, 3, 4}).Draw(t, "digits of the price"))))),
			Discount: domain.Some(drawDiscount(t)), Adjustments: drawAdjustments(t, "0.02"),
		})
		if rapid.IntRange(0, 4).Draw(t, "has a base count") == 0 {
			lines[i].BaseCount = domain.Some(must(money.ParseQuantity(rapid.SampledFrom([]string{"1", "3", "100"}).Draw(t, "base count"))))
		}
	}
	terms := performer.Terms{
		VATUse: rapid.Bool().Draw(t, "VAT is charged"), VATPercent: percent(text("VAT", 30, 2)), InCents: rapid.Bool().Draw(t, "in cents"),
	}
	if terms.VATUse {
		for i := range lines {
			lines[i].VAT = rapid.SampledFrom([]invoice.RateAttributes{
				{}, {}, {Percent: domain.Some(domain.Some(percent("7")))}, {Percent: domain.Some(domain.Some(percent("0.3")))},
				{Category: domain.Some(billing.Exempt)}, {Category: domain.Some(billing.ReverseCharge)},
			}).Draw(t, "VAT of a line")
		}
	}
	adjustments := drawAdjustments(t, "0.1")
	for i := range adjustments.Or(nil) {
		if terms.VATUse {
			adjustments.Or(nil)[i].VAT.Percent = domain.Some(domain.Some(percent(rapid.SampledFrom([]string{"7", "0.3", "30"}).Draw(t, "VAT of an adjustment"))))
		}
	}
	s := must(invoice.New(1, invoice.Attributes{
		Number: domain.Some("7"), Date: domain.Some(day), PerformerID: domain.Some(performer.ID(3)), ClientID: domain.Some(client.ID(6)),
		TypeID: domain.Some(invoiceType), Lines: domain.Some(lines), Discount: domain.Some(drawDiscount(t)), Adjustments: adjustments,
	}, terms, day)).State()
	s.ID, s.IssuedOn = 1, day
	for i := range s.Lines {
		s.Lines[i].ID = invoice.LineID(i + 1)
	}
	return invoice.Restore(s)
}

// drawAdjustments draws allowances and charges, mostly none.
func drawAdjustments(t *rapid.T, amount string) (all domain.Optional[[]invoice.AdjustmentAttributes]) {
	var drawn []invoice.AdjustmentAttributes
	for range max(0, rapid.IntRange(-3, 2).Draw(t, "adjustments")) {
		a := invoice.AdjustmentAttributes{Reason: domain.Some("reason")}
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign of an adjustment")
		if rapid.Bool().Draw(t, "is a percentage") {
			a.Percent = domain.Some(must(money.ParseChange(sign + rapid.SampledFrom([]string{"0.01", "3", "12.5"}).Draw(t, "change"))))
		} else {
			a.Amount = domain.Some(must(money.ParseAmount(sign + amount)))
		}
		drawn = append(drawn, a)
	}
	return domain.Some(drawn)
}

func drawDiscount(t *rapid.T) money.Percent {
	return percent(rapid.SampledFrom([]string{"0", "0", "3", "12.5", "0.01"}).Draw(t, "discount percent"))
}

// drawParts draws what to credit of some of the lines of which something is left, in one part or in two.
func drawParts(t *rapid.T, s invoice.State, credited invoice.Former) (parts []invoice.CreditedLine) {
	for _, l := range s.Lines {
		left := l.Count.Plus(credited.Lines[l.ID].Count)
		for range rapid.IntRange(0, 2).Draw(t, "parts") {
			if left.IsZero() {
				break
			}
			count := must(money.ParseQuantity(rapid.SampledFrom([]string{"0.000001", "0.005", "0.333333", "1", "2.5", "7"}).Draw(t, "part")))
			if left.IsNegative() {
				count = count.Negated()
			}
			if count.Exceeds(left) {
				count = left
			}
			left = left.Minus(count)
			parts = append(parts, invoice.CreditedLine{ID: l.ID, Count: domain.Some(count)})
		}
	}
	return parts
}

// amountsOf are those of a record, and those that its document prints: of each line of the credited invoice, and of all lines.
type amountsOf struct{ total, vat, pay, printed, printedVAT, printedPay money.Amount }

func amountsIn(s invoice.State, d billing.Document) (lines map[invoice.LineID][2]money.Amount, all amountsOf) {
	lines = map[invoice.LineID][2]money.Amount{}
	sign := func(a money.Amount) money.Amount {
		if d.Kind == billing.CreditNote {
			return a.Negated()
		}
		return a
	}
	for i, l := range s.Lines {
		of := l.ID
		if l.Credits != 0 {
			of = l.Credits
		}
		lines[of] = [2]money.Amount{lines[of][0].Plus(l.Total), lines[of][1].Plus(sign(d.Lines[i].Total))}
	}
	return lines, amountsOf{s.TotalPrice, s.VATPrice, s.PayPrice, sign(d.Net), sign(d.Tax), sign(d.AmountDue)}
}

// leaves checks that nothing takes more than is left of an amount, and returns what is left then.
func leaves(t *rapid.T, what string, left, note money.Amount) money.Amount {
	t.Helper()
	if taken := note.Negated(); !taken.IsZero() && taken.Exceeds(left) {
		t.Fatalf("%s: %s is credited of %s", what, taken, left)
	}
	return left.Plus(note)
}

// ledger has what is left of an invoice.
type ledger struct {
	*invoice.Invoice
	former invoice.Former
	notes  int
	lines  map[invoice.LineID][2]money.Amount
	all    amountsOf
}

// credit makes a credit note for the parts, for all that is left if there are none, and reports whether it was refused.
func (l *ledger) credit(t *rapid.T, parts []invoice.CreditedLine) (isRefused bool) {
	request := invoice.CreditRequest{Date: day, Former: l.former}
	if len(parts) > 0 {
		request.Lines = domain.Some(parts)
	}
	note, err := l.Credit(request, day)
	if err != nil {
		return true
	}
	l.notes++
	s := note.State()
	d := billing.New(billing.Source{Invoice: s, Credits: billing.Reference{Number: "7", Date: day}, Former: l.former})
	lines, all := amountsIn(s, d)
	for id, amounts := range lines {
		for i, what := range []string{"a line", "a line on paper"} {
			rest := l.lines[id]
			rest[i] = leaves(t, what, rest[i], amounts[i])
			l.lines[id] = rest
		}
	}
	l.all = amountsOf{
		leaves(t, "the total", l.all.total, all.total), l.all.vat.Plus(all.vat), leaves(t, "the amount due", l.all.pay, all.pay),
		l.all.printed.Plus(all.printed), l.all.printedVAT.Plus(all.printedVAT), leaves(t, "the amount due on paper", l.all.printedPay, all.printedPay),
	}
	if !s.TotalPrice.Plus(s.VATPrice).Equal(s.PayPrice) || !d.Gross.Plus(d.Rounding).Equal(d.AmountDue) || !d.Net.Plus(d.Tax).Equal(d.Gross) {
		t.Fatalf("the amounts of the credit note do not add up: %+v, %+v", s, d)
	}
	for _, line := range d.Lines {
		slack, by := must(money.ParseAmount("0.02")), line.Total.Minus(line.Gross())
		for _, a := range line.Adjustments {
			by = by.Minus(a.Signed())
		}
		if by.Compare(slack) > 0 || by.Negated().Compare(slack) > 0 {
			t.Fatalf("a line of %s at %s is %s", line.Count, line.Price, line.Total)
		}
	}
	l.former = l.former.Clone()
	for _, line := range s.Lines {
		l.former.Add(line)
	}
	l.former.AddAdjustments(s.Adjustments)
	return false
}

// contract 16.130, 16.4
func TestCreditsInAnyPartsAreTheInvoiceInRecordsAndOnPaper(t *testing.T) {
	notes, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		l := &ledger{Invoice: drawInvoice(t)}
		s := l.State()
		printed := billing.New(billing.Source{Invoice: s})
		l.lines, l.all = amountsIn(s, printed)
		hasDiscount := len(s.Adjustments) > 0 ||
			slices.ContainsFunc(s.Lines, func(line invoice.Line) bool { return line.Total.IsNegative() != s.TotalPrice.IsNegative() })
		for range rapid.IntRange(0, 12).Draw(t, "credit notes") {
			parts := drawParts(t, s, l.former)
			if len(parts) == 0 {
				continue
			}
			if l.credit(t, parts) {
				refused++
				if !hasDiscount {
					t.Fatalf("%v of %+v is refused", parts, s)
				}
			}
		}
		if l.State().Status != invoice.Cancelled && l.credit(t, nil) {
			t.Fatalf("what is left of %+v cannot be credited", s)
		}
		notes += l.notes
		for id, left := range l.lines {
			if !left[0].IsZero() || !left[1].IsZero() {
				t.Fatalf("%v is left of the line %d of %+v", left, id, s)
			}
		}
		a := l.all
		left := []money.Amount{a.total, a.vat, a.pay, a.printed, a.printedVAT, a.printedPay}
		if slices.ContainsFunc(left, func(a money.Amount) bool { return !a.IsZero() }) || l.State().Status != invoice.Cancelled {
			t.Fatalf("%v is left of %+v", left, s)
		}
	})
	if notes < 200 || refused == 0 {
		t.Errorf("%d credit notes are made, and %d refused", notes, refused)
	}
}

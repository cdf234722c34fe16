package billing_test

import (
	"fmt"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
)

// changeOf returns an adjustment by a percentage, at a rate of VAT; "" is that of all lines.
func changeOf(change, rate string) (a invoice.AdjustmentAttributes) {
	a.Reason, a.Percent = domain.Some("volume"), domain.Some(must(money.ParseChange(change)))
	if rate != "" {
		a.VAT.Percent = domain.Some(domain.Some(percent(rate)))
	}
	return a
}

// contract 10.159, 16.2
func TestAdjustmentOfAnInvoiceByAPercentageIsOnTheLinesOfItsRate(t *testing.T) {
	several := source(t, item{"", "3", "100"})
	mixed("19", "exempt")(&several)
	one := source(t)
	only := invoice.Restore(one.Invoice)
	line := invoice.LineAttributes{
		Name: domain.Some("goods"), Price: domain.Some(must(money.ParseAmount("1000"))),
		VAT: invoice.RateAttributes{Percent: domain.Some(domain.Some(percent("19")))},
	}
	if err := only.AddLine(line, one.Invoice.Terms, day); err != nil {
		t.Fatal(err)
	}
	one.Invoice = only.State()
	for name, tt := range map[string]struct {
		of      billing.Source
		changes []invoice.AdjustmentAttributes
		want    string
	}{
		"several rates": {
			several, []invoice.AdjustmentAttributes{changeOf("-10", "7.5"), changeOf("2", "19")},
			"false 10.00 % of 300.00 = 30.00 at 7.50; true 2.00 % of 1000.00 = 20.00 at 19.00; ",
		},
		"a rate that is not the seller's": {one, []invoice.AdjustmentAttributes{changeOf("-10", "")}, "false 10.00 % of 1000.00 = 100.00 at 19.00; "},
	} {
		inv := invoice.Restore(tt.of.Invoice)
		if err := inv.Update(invoice.Attributes{Adjustments: domain.Some(tt.changes)}, tt.of.Invoice.Terms, day); err != nil {
			t.Fatal(err)
		}
		tt.of.Invoice = inv.State()
		got := ""
		for _, a := range billing.New(tt.of).Adjustments {
			got += fmt.Sprintf("%v %s %% of %s = %s at %s; ", a.IsCharge, a.Percent, a.Base.Fixed(2), a.Amount.Fixed(2), a.VAT.Percent)
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

// contract 10.158, 16.2
func TestAdjustmentOfALineKeepsAPercentageThatMakesItsAmount(t *testing.T) {
	type adjusted = func(*invoice.LineAttributes)
	change := func(percent string) adjusted {
		return func(a *invoice.LineAttributes) {
			a.Adjustments = domain.Some([]invoice.AdjustmentAttributes{{
				Reason: domain.Some("volume"), Percent: domain.Some(must(money.ParseChange(percent))),
			}})
		}
	}
	discount := func(a *invoice.LineAttributes) { a.Discount = domain.Some(percent("5")) }
	for name, tt := range map[string]struct {
		price    string
		adjusted adjusted
		want     string
	}{
		"an allowance":                    {"100", change("-5"), "300.00; false 5.00 % of 300.00 = 15.00"},
		"a charge":                        {"100", change("5"), "300.00; true 5.00 % of 300.00 = 15.00"},
		"an allowance with a cent beside": {"0.335", change("-5"), "1.01; false 0.00 % of 0.00 = 0.06"},
		"a discount with a cent beside":   {"0.335", discount, "1.01; false 5.00 % of 1.01 = 0.06"},
	} {
		a := invoice.LineAttributes{
			Name: domain.Some("goods"), Count: domain.Some(must(money.ParseQuantity("3"))), Price: domain.Some(must(money.ParseAmount(tt.price))),
		}
		tt.adjusted(&a)
		s := source(t)
		inv := invoice.Restore(s.Invoice)
		if err := inv.AddLine(a, s.Invoice.Terms, day); err != nil {
			t.Fatal(err)
		}
		s.Invoice = inv.State()
		line := billing.New(s).Lines[0]
		got := line.Gross().Fixed(2)
		for _, a := range line.Adjustments {
			got += fmt.Sprintf("; %v %s %% of %s = %s", a.IsCharge, a.Percent, a.Base.Fixed(2), a.Amount.Fixed(2))
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

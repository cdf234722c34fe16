package billing

import (
	"slices"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
)

// Adjustment is an allowance or a charge of a line, or of the lines of a document with a VAT rate.
type Adjustment struct {
	IsCharge   bool
	IsDiscount bool // an allowance without a reason of its own
	Reason     string
	Percent    money.Percent // of Base; 0: there is none
	Base       money.Amount
	Amount     money.Amount // that is added if it is a charge, and else subtracted; of returned goods it is negative
	VAT        invoice.Rate // of one of a document
}

// Signed returns the amount that is added.
func (a Adjustment) Signed() money.Amount {
	if a.IsCharge {
		return a.Amount
	}
	return a.Amount.Negated()
}

// ReasonCode returns the code of the reason (UNTDID 5189); "": it has none.
func (a Adjustment) ReasonCode() string {
	if a.IsDiscount {
		return DiscountCode
	}
	return ""
}

// ReasonText returns the reason in electronic invoices.
func (a Adjustment) ReasonText() string {
	if a.IsDiscount {
		return DiscountReason
	}
	return a.Reason
}

// Discount returns the sum of the discounts on all rates.
func (d *Document) Discount() (sum money.Amount) {
	for _, a := range d.Adjustments {
		if a.IsDiscount {
			sum = sum.Plus(a.Amount)
		}
	}
	return sum
}

// AdjustmentTotals returns the sums of the allowances and of the charges of the document, which have none where there is no such.
func (d *Document) AdjustmentTotals() (allowances, charges domain.Optional[money.Amount]) {
	for _, a := range d.Adjustments {
		sum := &allowances
		if a.IsCharge {
			sum = &charges
		}
		*sum = domain.Some(sum.Or(money.Amount{}).Plus(a.Amount))
	}
	return allowances, charges
}

// adjustments returns the adjustments of the invoice in cents, with the rates that they have on the document.
func (s Source) adjustments(lines invoice.RateSums) []invoice.Adjustment {
	all := slices.Clone(s.Invoice.Adjustments)
	for i := range all {
		a := &all[i]
		var former money.Amount
		if i < len(s.Former.Adjustments) {
			former = s.Former.Adjustments[i].Amount
		}
		a.Amount = part(former, a.Amount)
		if a.VATCategory == "" {
			rate := s.rate(nil, 0, invoice.Rate{})
			if len(lines) == 1 {
				rate = lines[0].Rate
			}
			a.VATCategory, a.VATPercent = rate.Category, rate.Percent
		}
	}
	return all
}

// adjustment returns the adjustment of the document for one of the invoice in cents; none if it is 0.
func (d *Document) adjustment(of invoice.Adjustment, lines invoice.RateSums) []Adjustment {
	if of.Amount.IsZero() {
		return nil
	}
	a := d.adjusted(of)
	a.VAT = invoice.Rate{Category: of.VATCategory, Percent: of.VATPercent}
	for _, l := range lines {
		if l.Rate == a.VAT {
			a.Base = d.signed(l.Total)
		}
	}
	return []Adjustment{a.withoutFalsePercent()}
}

// adjusted returns the adjustment with the sign that it has in the document: one by a percentage is what the percentage says, also of
// returned goods.
func (d *Document) adjusted(of invoice.Adjustment) Adjustment {
	a := Adjustment{Reason: of.Reason, Percent: of.Percent, Amount: d.signed(of.Amount)}
	if a.IsCharge = !a.Amount.IsNegative(); !a.Percent.IsZero() {
		a.IsCharge = !a.Percent.IsNegative()
	}
	if !a.IsCharge {
		a.Percent, a.Amount = a.Percent.Negated(), a.Amount.Negated()
	}
	return a
}

// lineAdjustments returns the discount and the adjustments of a line of the invoice; the last one has what is left between count times
// price and the total of the line on the document.
func (d *Document) lineAdjustments(of invoice.Line, l Line) (all []Adjustment) {
	if of.Discount.IsZero() && len(of.Adjustments) == 0 {
		return nil
	}
	gross := l.Gross()
	if !of.Discount.IsZero() {
		all = append(all, Adjustment{IsDiscount: true, Percent: of.Discount, Base: gross, Amount: of.Discount.Of(gross).RoundTo(Cents)})
	}
	for _, adjustment := range of.Adjustments {
		adjustment.Amount = adjustment.Amount.RoundTo(Cents)
		a := d.adjusted(adjustment)
		if !a.Percent.IsZero() {
			a.Base = gross
		}
		all = append(all, a)
	}
	rest := l.Total.Minus(gross)
	for _, a := range all {
		rest = rest.Minus(a.Signed())
	}
	if last := &all[len(all)-1]; last.IsCharge {
		last.Amount = last.Amount.Plus(rest)
	} else {
		last.Amount = last.Amount.Minus(rest)
	}
	all[len(all)-1] = all[len(all)-1].withoutFalsePercent()
	return slices.DeleteFunc(all, func(a Adjustment) bool { return a.Amount.IsZero() && !a.IsDiscount })
}

// withoutFalsePercent returns the adjustment without its percentage if that does not make the amount, because the invoice is not
// computed in cents.
func (a Adjustment) withoutFalsePercent() Adjustment {
	if !a.IsDiscount && !a.Percent.Of(a.Base).RoundTo(Cents).Equal(a.Amount) {
		a.Percent, a.Base = money.Percent{}, money.Amount{}
	}
	return a
}

package invoice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/text"
)

// MaxAdjustments is the maximum number of adjustments of a line, and of an invoice.
const MaxAdjustments = 20

// amountDigits is how many fraction digits the amount of an adjustment may have: documents have cents.
const amountDigits = 2

// Adjustment is an allowance, whose amount is below 0, or a charge, whose amount is above 0. It adjusts the price of a line, or the
// sum of the lines of an invoice with a VAT rate.
// It is stored under the names of the API.
type Adjustment struct {
	Reason  string        `json:"reason"`
	Percent money.Percent `json:"percent,omitzero"` // of what it adjusts, before any discount; 0: the amount was given
	Amount  money.Amount  `json:"amount"`
	// Of an invoice's, the VAT rate; without a category that of all lines.
	VATCategory performer.VATCategory `json:"vat_category,omitempty"`
	VATPercent  money.Percent         `json:"vat_percent,omitzero"`
}

func (a Adjustment) rate() Rate { return Rate{a.VATCategory, a.VATPercent} }

// under returns the rate that counts under the terms, in an invoice whose lines have these sums.
func (a Adjustment) under(t performer.Terms, lines RateSums) Rate {
	if a.VATCategory == "" && len(lines) == 1 {
		return lines[0].under(t)
	}
	return a.rate().under(t)
}

func hasOwnRate(all []Adjustment) bool {
	return slices.ContainsFunc(all, func(a Adjustment) bool { return a.VATCategory != "" })
}

func sameAdjustments(a, b []Adjustment) bool {
	return slices.EqualFunc(a, b, func(a, b Adjustment) bool {
		return a.Reason == b.Reason && a.Percent == b.Percent && a.rate() == b.rate() && a.Amount.Equal(b.Amount)
	})
}

// AdjustmentAttributes are the attributes of an adjustment. Of Percent and Amount one is required; with a percentage, the amount is
// computed. Those of VAT are for an adjustment of an invoice.
type AdjustmentAttributes struct {
	Reason  domain.Optional[string]
	Percent domain.Optional[money.Percent]
	Amount  domain.Optional[money.Amount]
	VAT     RateAttributes
}

// is reports whether the attributes are those of the adjustment, as they are after it was read.
func (a AdjustmentAttributes) is(b Adjustment) bool {
	percent := a.Percent.Or(money.Percent{})
	amount, hasAmount := a.Amount.Get()
	return a.Reason.Or("") == b.Reason && percent == b.Percent && (!percent.IsZero() || hasAmount && amount.Equal(b.Amount))
}

// applyAdjustments returns the adjustments that were sent, without the amounts of percentages. The names of wrong fields begin with
// prefix.
func applyAdjustments(
	c *fault.Collector, prefix string, old []Adjustment, sent domain.Optional[[]AdjustmentAttributes], t performer.Terms,
) (applied []Adjustment) {
	list, ok := sent.Get()
	if !ok {
		return old
	}
	if len(list) > MaxAdjustments {
		c.Coded(fault.OutOfRange, prefix+"adjustments", "must have at most %d entries", MaxAdjustments)
		return old
	}
	for i, a := range list {
		at, before := fmt.Sprintf("%sadjustments[%d].", prefix, i), Adjustment{}
		if i < len(old) {
			before = old[i]
		}
		next := before
		if !a.is(before) {
			next = a.apply(c, at)
		}
		rate := a.VAT.apply(c, at, before.rate(), t)
		next.VATCategory, next.VATPercent = rate.Category, rate.Percent
		applied = append(applied, next)
	}
	return applied
}

func (a AdjustmentAttributes) apply(c *fault.Collector, prefix string) Adjustment {
	next := Adjustment{Reason: text.Required(c, prefix+"reason", a.Reason, "", text.Short), Percent: a.Percent.Or(money.Percent{})}
	if !next.Percent.IsZero() {
		return next
	}
	next.Amount = a.Amount.Or(money.Amount{})
	switch {
	case !a.Amount.IsSet():
		c.Coded(fault.Required, prefix+"amount", "or percent is required")
	case next.Amount.IsZero():
		c.Add(prefix+"amount", "must not be 0")
	case !next.Amount.Equal(next.Amount.RoundTo(amountDigits)):
		c.Coded(fault.TooPrecise, prefix+"amount", "must have at most %d fraction digits", amountDigits)
	}
	return next
}

// computed returns the adjustments with the amounts of percentages of what base returns for each.
func computed(all []Adjustment, base func(Adjustment) money.Exact, t performer.Terms) []Adjustment {
	all = slices.Clone(all)
	for i, a := range all {
		if !a.Percent.IsZero() {
			all[i].Amount = t.Round(a.Percent.OfExact(base(a)))
		}
	}
	return all
}

func sumOf(all []Adjustment) (sum money.Amount) {
	for _, a := range all {
		sum = sum.Plus(a.Amount)
	}
	return sum
}

// apportioned returns the line of a credit note for a part of a line whose total is not the product of count and price alone: it has the
// same part of the total, and one adjustment, by which that differs from the product.
func apportioned(credit, of Line, former FormerLine, t performer.Terms) Line {
	all := former.Count.Plus(credit.Count)
	credit.Total = t.Round(of.Total.ShareOf(all, of.Count)).Minus(former.Total)
	credit.Discount = money.Percent{}
	product := lineTotal(credit, FormerLine{}, t).Result
	credit.Adjustments = []Adjustment{{Reason: of.reasons(), Amount: credit.Total.Minus(product)}}
	return credit
}

// reasons returns why the total of a line is not the product of count and price.
func (l Line) reasons() string {
	var all []string
	if !l.Discount.IsZero() {
		all = append(all, "Discount "+l.Discount.String()+" %")
	}
	for _, a := range l.Adjustments {
		all = append(all, a.Reason)
	}
	if len(all) == 0 {
		return "Rounding"
	}
	reasons := []rune(strings.Join(all, "; "))
	return string(reasons[:min(len(reasons), text.Short)])
}

// creditAdjustments returns the adjustments of a credit note: the part of each that corresponds to the credited part of the lines with
// its rate, and of the note that leaves nothing, all that is left. Former notes have the same adjustments in the same order.
func (s State) creditAdjustments(credited, former Former) []Adjustment {
	if len(s.Adjustments) == 0 {
		return nil
	}
	invoiced, soFar := s.sums(), credited.Sums().Lines
	isAll := !slices.ContainsFunc(s.Lines, func(l Line) bool { return !l.left(credited).IsZero() })
	parts := slices.Clone(s.Adjustments)
	for i := range parts {
		p := &parts[i]
		rate := p.under(s.Terms, invoiced.under(s.Terms))
		whole, part := invoiced.under(s.Terms).of(rate), soFar.under(s.Terms).of(rate).Negated()
		switch {
		case isAll:
		case part.IsZero() || part.IsNegative() != whole.IsNegative():
			p.Amount = money.Amount{}
		case !part.Exceeds(whole):
			p.Amount = s.Terms.Round(p.Amount.Share(part, whole))
		}
		p.Percent, p.Amount = money.Percent{}, p.Amount.Negated()
		if i < len(former.Adjustments) {
			p.Amount = p.Amount.Minus(former.Adjustments[i].Amount)
		}
	}
	return parts
}

package invoice

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

// Rate is a VAT category and a percentage. The zero value stands for those of the performer.
type Rate struct {
	Category performer.VATCategory
	Percent  money.Percent
}

func (r Rate) isOwn() bool { return r.Category != "" }

// under returns the rate that counts under the terms. The zero value is left for lines without VAT, whose category the
// party of the performer has.
func (r Rate) under(t performer.Terms) Rate {
	switch {
	case !t.VATUse:
		return Rate{}
	case r.isOwn():
		return r
	case t.VATPercent.IsZero():
		return Rate{}
	}
	return Rate{performer.Standard, t.VATPercent}
}

func compareRates(a, b Rate) int {
	return cmp.Or(cmp.Compare(a.Category, b.Category), a.Percent.Compare(b.Percent))
}

// RateAttributes are those of the VAT of a line. Of two, the one that is not sent follows from the other one: a percentage above 0
// is standard, and 0 is zero; a category has the performer's percentage if it is standard, and else 0. Without both, the line has the
// performer's.
type RateAttributes struct {
	Percent  domain.Optional[domain.Optional[money.Percent]]
	Category domain.Optional[performer.VATCategory]
}

func (a RateAttributes) apply(c *fault.Collector, prefix string, old Rate, t performer.Terms) Rate {
	if !a.Percent.IsSet() && !a.Category.IsSet() {
		return old
	}
	r := Rate{Category: a.Category.Or("")}
	var hasPercent bool
	r.Percent, hasPercent = a.Percent.Or(domain.Optional[money.Percent]{}).Get()
	field, percent := prefix+"vat_category", prefix+"vat_percent"
	switch {
	case r.Category == "" && !hasPercent:
		return Rate{}
	case r.Category == "" && r.Percent.IsZero():
		r.Category, field = performer.Zero, percent
	case r.Category == "":
		r.Category, field = performer.Standard, percent
	case r.Category == performer.Standard && !hasPercent:
		r.Percent = t.VATPercent
	}
	isStandard := r.Category == performer.Standard
	switch {
	case r == old: // even if the performer has no VAT any more
	case !slices.Contains(performer.VATCategories, string(r.Category)):
		c.Add(field, "must be one of %s", strings.Join(performer.VATCategories, ", "))
	case !t.VATUse:
		c.Coded(fault.Mismatch, field, "must be empty: the performer has no VAT")
	case isStandard && r.Percent.IsZero():
		c.Coded(fault.Mismatch, percent, "must be above 0 with the VAT category %s", r.Category)
	case !isStandard && !r.Percent.IsZero():
		c.Coded(fault.Mismatch, percent, "must be 0 with the VAT category %s", r.Category)
	default:
		return r
	}
	return old
}

// RateSum is the sum of the lines with a rate.
type RateSum struct {
	Rate
	Count int // of the lines
	Total money.Amount
}

// RateSums are the sums of lines by rate, in an order of their own, each rate once.
type RateSums []RateSum

// With returns the sums with so many more lines of the rate, which have that total.
func (s RateSums) With(r Rate, count int, total money.Amount) RateSums {
	i, found := slices.BinarySearchFunc(s, r, func(a RateSum, r Rate) int { return compareRates(a.Rate, r) })
	if !found {
		s = slices.Insert(s, i, RateSum{Rate: r})
	}
	s[i].Count += count
	s[i].Total = s[i].Total.Plus(total)
	if s[i].Count == 0 {
		s = slices.Delete(s, i, i+1)
	}
	return s
}

func (s RateSums) of(r Rate) (total money.Amount) {
	for _, a := range s {
		if a.Rate == r {
			total = a.Total
		}
	}
	return total
}

func (s RateSums) under(t performer.Terms) (counting RateSums) {
	for _, r := range s {
		counting = counting.With(r.under(t), r.Count, r.Total)
	}
	return counting
}

func (s RateSums) hasOwn() bool {
	return slices.ContainsFunc(s, func(r RateSum) bool { return r.isOwn() })
}

func sameSums(a, b RateSums) bool {
	return slices.EqualFunc(a, b, func(a, b RateSum) bool { return a.Rate == b.Rate && a.Count == b.Count && a.Total.Equal(b.Total) })
}

// Sums are what amounts are computed from: the sums of lines by rate, and adjustments.
type Sums struct {
	Lines       RateSums
	Adjustments []Adjustment
}

// adjusted is what lines with a rate that counts have, and their adjustments.
type adjusted struct {
	RateSum
	Adjustments money.Amount
}

// under returns the sums by the rates that count under the terms.
func (s Sums) under(t performer.Terms) (all []adjusted) {
	lines := s.Lines.under(t)
	for _, r := range lines {
		all = append(all, adjusted{RateSum: r})
	}
	for _, a := range s.Adjustments {
		rate := a.under(t, lines)
		i := slices.IndexFunc(all, func(r adjusted) bool { return r.Rate == rate })
		if i < 0 {
			i, all = len(all), append(all, adjusted{RateSum: RateSum{Rate: rate}})
		}
		all[i].Adjustments = all[i].Adjustments.Plus(a.Amount)
	}
	return all
}

// less returns the sum of the lines, less the discount, with the adjustments.
func (a adjusted) less(discount money.Percent, t performer.Terms) money.Amount {
	return a.Total.Minus(t.Round(discount.Of(a.Total))).Plus(a.Adjustments)
}

// RateAmounts are the amounts of the lines with a rate that counts. The zero rate is that of the performer where it charges no VAT.
type RateAmounts struct {
	Rate
	Lines       money.Amount // sum of the lines
	Discount    Step
	Adjustments money.Amount // sum of them
	Total       Step         // the sum less the discount, with the adjustments
	VAT         Step
}

// AmountsByRate returns the amounts of an invoice by rate, the highest one first; of a credit note from what it has itself and from what
// former ones have. The parts of an invoice so have the sum that the whole has.
func AmountsByRate(now, former Sums, discount money.Percent, t performer.Terms) []RateAmounts {
	before := former.under(t)
	var all []RateAmounts
	for _, sum := range now.under(t) {
		var was adjusted
		if i := slices.IndexFunc(before, func(r adjusted) bool { return r.Rate == sum.Rate }); i >= 0 {
			was = before[i]
		}
		a := RateAmounts{Rate: sum.Rate, Lines: sum.Total, Adjustments: sum.Adjustments}
		a.Discount = percentage("lines", "discount_percent", discount, sum.Total, was.Total, t)
		total, formula := sum.Total.Minus(a.Discount.Result), "lines - discount"
		if !sum.Adjustments.IsZero() {
			total, formula = total.Plus(sum.Adjustments), formula+" + adjustments"
		}
		a.Total = unrounded(formula, total, t)
		a.VAT = percentage("total_price", "vat_percent", sum.Percent, total, was.less(discount, t), t)
		if sum.Count != 0 || !sum.Adjustments.IsZero() {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b RateAmounts) int {
		return cmp.Or(b.Percent.Compare(a.Percent), cmp.Compare(a.Category, b.Category))
	})
	return all
}

// percentage returns the percentage of an amount; in a credit note, that of what is credited altogether, less that of what former
// ones have.
func percentage(of, percent string, p money.Percent, a, former money.Amount, t performer.Terms) Step {
	if former.IsZero() {
		return rounded(of+" * "+percent+" / 100", p.Of(a), t)
	}
	all := rounded("("+of+" "+added(former.String())+") * "+percent+" / 100", p.Of(a.Plus(former)), t)
	return all.plus(t.Round(p.Of(former)).Negated())
}

// Amounts are those of an invoice.
type Amounts struct {
	ByRate          []RateAmounts
	Total, VAT, Pay Step
}

// amountsOf returns the amounts of an invoice, or of a credit note after former ones.
func amountsOf(now, former Sums, discount money.Percent, t performer.Terms) Amounts {
	a := Amounts{ByRate: AmountsByRate(now, former, discount, t)}
	var total, vat money.Amount
	for _, r := range a.ByRate {
		total, vat = total.Plus(r.Total.Result), vat.Plus(r.VAT.Result)
	}
	a.Total = unrounded("sum of the lines", total, t)
	if !discount.IsZero() || len(now.Adjustments) > 0 {
		a.Total = unrounded("sum of total_price in vat", total, t)
	}
	switch isPlain := len(a.ByRate) == 1 && a.ByRate[0].Rate == (Rate{}).under(t); {
	case !t.VATUse:
		a.VAT = unrounded("0", money.Amount{}, t)
	case len(a.ByRate) == 0:
		a.VAT = percentage("total_price", "vat_percent", t.VATPercent, money.Amount{}, money.Amount{}, t)
	case isPlain:
		a.VAT = a.ByRate[0].VAT
	default:
		a.VAT = unrounded("sum of vat_price in vat", vat, t)
	}
	a.Pay = unrounded("total_price + vat_price", a.Total.Result.Plus(a.VAT.Result), t)
	return a
}

// RateTotal is the total of an invoice at a rate, and the VAT on it. It is stored under the names of the API; without a category it is
// that of the performer where it charges no VAT.
type RateTotal struct {
	Category performer.VATCategory `json:"vat_category,omitempty"`
	Percent  money.Percent         `json:"vat_percent"`
	Total    money.Amount          `json:"total_price"`
	VAT      money.Amount          `json:"vat_price"`
}

// totals returns what is stored of the amounts.
func (a Amounts) totals() (all []RateTotal) {
	for _, r := range a.ByRate {
		all = append(all, RateTotal{r.Category, r.Percent, r.Total.Result, r.VAT.Result})
	}
	return all
}

func sameTotals(a, b []RateTotal) bool {
	return slices.EqualFunc(a, b, func(a, b RateTotal) bool {
		return a.Category == b.Category && a.Percent == b.Percent && a.Total.Equal(b.Total) && a.VAT.Equal(b.VAT)
	})
}

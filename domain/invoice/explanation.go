package invoice

import (
	"strings"

	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

// Step is a step of the computation of an invoice's amounts. Commands store its result; an
// explanation shows all of it. No other code computes these amounts.
type Step struct {
	Formula   string // in the names of attributes
	Exact     money.Exact
	IsRounded bool // half away from zero; otherwise Exact has no more digits than the result
	Digits    int32
	Result    money.Amount
}

func rounded(formula string, exact money.Exact, t performer.Terms) Step {
	return Step{Formula: formula, Exact: exact, IsRounded: true, Digits: t.Digits(), Result: t.Round(exact)}
}

func unrounded(formula string, result money.Amount, t performer.Terms) Step {
	return Step{Formula: formula, Exact: result.Exact(), Digits: t.Digits(), Result: result}
}

// plus returns the step whose result has the amount besides, such as what former credit notes have, with the opposite sign.
func (s Step) plus(a money.Amount) Step {
	s.Formula = "round(" + s.Formula + ") " + added(a.String())
	s.Exact, s.Result = s.Exact.Plus(a), s.Result.Plus(a)
	return s
}

// added returns the number as a term of a sum.
func added(number string) string {
	if positive, isNegative := strings.CutPrefix(number, "-"); isNegative {
		return "- " + positive
	}
	return "+ " + number
}

// lineTotal returns the total of a line; of a credit note, what is credited of the line altogether, less what former notes have. So
// the parts of a line have the sum that the whole line has, and none is more than is left of it.
func lineTotal(l Line, former FormerLine, t performer.Terms) Step {
	count, formula := l.Count, "count"
	if l.isApportioned() {
		former = FormerLine{}
	}
	if !former.Count.IsZero() {
		count, formula = count.Plus(former.Count), "(count "+added(former.Count.String())+")"
	}
	exact, formula := count.Times(l.Price).Per(l.Base()), formula+" * price"
	if !l.BaseCount.IsZero() {
		formula += " / base_count"
	}
	if !l.Discount.IsZero() {
		exact, formula = l.Discount.Off(exact), formula+" * (100 - discount_percent) / 100"
	}
	step := rounded(formula, exact, t)
	if !former.Count.IsZero() {
		step = step.plus(former.Total.Negated())
	}
	if len(l.Adjustments) > 0 {
		step = step.plus(sumOf(l.Adjustments))
	}
	return step
}

// isApportioned reports whether the line of a credit note has a part of the line of its invoice by its count, whatever former notes have.
func (l Line) isApportioned() bool { return l.Credits != 0 && len(l.Adjustments) > 0 }

// Explanation explains the amounts of an invoice. It takes one line at a time, so that an
// invoice with many lines need not fit into memory.
type Explanation struct {
	Terms    performer.Terms // stored with the invoice
	Discount money.Percent
	// Adjustments have their amounts.
	Adjustments []Adjustment
	Former      Former // of a credit note
	sums        RateSums
	lines       Former // with the lines that were added
}

// AddLine adds the next line and returns the step that computes its total, which the line has if the invoice is rounded to cents.
func (e *Explanation) AddLine(l Line) Step {
	if e.lines.Lines == nil {
		e.lines = e.Former.Clone()
	}
	step := lineTotal(l, e.lines.Lines[l.Credits], e.Terms)
	if e.Terms.InCents && !l.Total.Equal(step.Result) {
		step = unrounded("total_price as it was sent, within a cent of "+step.Formula, l.Total, e.Terms)
	}
	l.Total = step.Result
	e.sums = e.sums.With(l.VAT, 1, l.Total)
	e.lines.Add(l)
	return step
}

// Amounts returns the steps that compute the invoice's amounts from the lines added so far and
// the terms.
func (e *Explanation) Amounts() Amounts {
	return amountsOf(Sums{e.sums, e.Adjustments}, e.Former.Sums(), e.Discount, e.Terms)
}

package invoice

import (
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

func lineTotal(count money.Quantity, price money.Amount, t performer.Terms) Step {
	return rounded("count * price", count.Times(price), t)
}

func totalPrice(sum money.Amount, t performer.Terms) Step {
	return unrounded("sum of the lines", sum, t)
}

func vatPrice(total money.Amount, t performer.Terms) Step {
	if !t.VATUse {
		return unrounded("0", money.Amount{}, t)
	}
	return rounded("total_price * vat_percent / 100", t.VAT(total), t)
}

func payPrice(total, vat money.Amount, t performer.Terms) Step {
	return unrounded("total_price + vat_price", total.Plus(vat), t)
}

// Explanation explains the amounts of an invoice. It takes one line at a time, so that an
// invoice with many lines need not fit into memory.
type Explanation struct {
	Terms performer.Terms // stored with the invoice
	total money.Amount
}

// AddLine adds the next line and returns the step that computes its total.
func (e *Explanation) AddLine(count money.Quantity, price money.Amount) Step {
	step := lineTotal(count, price, e.Terms)
	e.total = e.total.Plus(step.Result)
	return step
}

// Totals returns the steps that compute the invoice's amounts from the lines added so far and
// the terms.
func (e *Explanation) Totals() (total, vat, pay Step) {
	total = totalPrice(e.total, e.Terms)
	vat = vatPrice(total.Result, e.Terms)
	return total, vat, payPrice(total.Result, vat.Result, e.Terms)
}

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
	IsRounded bool // by Exact.Round; otherwise Exact has no more digits than an amount
	Result    money.Amount
}

func rounded(formula string, exact money.Exact) Step {
	return Step{Formula: formula, Exact: exact, IsRounded: true, Result: exact.Round()}
}

func unrounded(formula string, result money.Amount) Step {
	return Step{Formula: formula, Exact: result.Exact(), Result: result}
}

func lineTotal(count money.Quantity, price money.Amount) Step {
	return rounded("count * price", count.Times(price))
}

func totalPrice(sum money.Amount) Step { return unrounded("sum of the lines", sum) }

func vatPrice(total money.Amount, t performer.Terms) Step {
	if !t.VATUse {
		return unrounded("0", money.Amount{})
	}
	return rounded("total_price * vat_percent / 100", t.VAT(total))
}

func payPrice(total, vat money.Amount) Step {
	return unrounded("total_price + vat_price", total.Plus(vat))
}

// Explanation explains the amounts of an invoice. It takes one line at a time, so that an
// invoice with many lines need not fit into memory.
type Explanation struct {
	total money.Amount
}

// AddLine adds the next line and returns the step that computes its total.
func (e *Explanation) AddLine(count money.Quantity, price money.Amount) Step {
	step := lineTotal(count, price)
	e.total = e.total.Plus(step.Result)
	return step
}

// Totals returns the steps that compute the invoice's amounts from the lines added so far and
// the VAT terms stored with the invoice.
func (e *Explanation) Totals(t performer.Terms) (total, vat, pay Step) {
	total = totalPrice(e.total)
	vat = vatPrice(total.Result, t)
	return total, vat, payPrice(total.Result, vat.Result)
}

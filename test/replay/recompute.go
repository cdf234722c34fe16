package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"

	"golang.org/x/sync/errgroup"

	"github.com/kontor-crm/kontor/test/rest"
)

// listed is an invoice as the list shows it.
type listed struct {
	ID         int64
	TotalPrice string `json:"total_price"`
	VATPrice   string `json:"vat_price"`
	PayPrice   string `json:"pay_price"`
}

// explained is an invoice with its explanation.
type explained struct {
	VATUse     bool   `json:"vat_use"`
	VATPercent string `json:"vat_percent"`
	Items      []explainedLine
	TotalPrice step `json:"total_price"`
	VATPrice   step `json:"vat_price"`
	PayPrice   step `json:"pay_price"`
}

type explainedLine struct {
	Count      json.Number
	Price      string
	TotalPrice step `json:"total_price"`
}

type step struct {
	Formula, Exact, Result string
	Rounding               *string
	Digits                 int
}

// Recompute computes the amounts of all invoices from their explanations, and returns how they differ.
func Recompute(ctx context.Context, s rest.Client) error {
	invoices, err := readListed(ctx, s)
	if err != nil {
		return err
	}
	var explaining errgroup.Group
	explaining.SetLimit(connections)
	for _, i := range invoices {
		explaining.Go(func() error {
			var e explained
			if _, err := s.Call(ctx, http.MethodGet, fmt.Sprintf("/rest/invoice/%d/explain", i.ID), nil, &e); err != nil {
				return err
			}
			if err := e.check(i); err != nil {
				return fmt.Errorf("the explanation of the invoice with id %d: %w", i.ID, err)
			}
			return nil
		})
	}
	return explaining.Wait()
}

// readListed reads the amounts of all invoices.
func readListed(ctx context.Context, s rest.Client) (all []listed, err error) {
	path := "/rest/invoice?fields=id,total_price,vat_price,pay_price&per_page=500"
	for path != "" {
		var page struct{ Items []listed }
		var total int
		header, err := list(ctx, s, path, &page, &total)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		path = nextPage(header)
	}
	return all, nil
}

// check computes each step and compares it with the explanation, and the results with the amounts.
func (e explained) check(i listed) error {
	var errs []error
	compare := func(name string, s step, formula string, want *big.Rat, amount string) {
		if err := s.check(formula, want, amount); err != nil {
			errs = append(errs, fmt.Errorf("%s %w", name, err))
		}
	}
	sum := new(big.Rat)
	for n, l := range e.Items {
		count, badCount := exact(l.Count.String())
		price, badPrice := exact(l.Price)
		if err := errors.Join(badCount, badPrice); err != nil {
			return err
		}
		compare(fmt.Sprintf("line %d", n), l.TotalPrice, "count * price", count.Mul(count, price), l.TotalPrice.Result)
		sum.Add(sum, l.TotalPrice.rounded(count))
	}
	compare("total_price", e.TotalPrice, "sum of the lines", sum, i.TotalPrice)
	formula, vat := "0", new(big.Rat)
	if e.VATUse {
		percent, err := exact(e.VATPercent)
		if err != nil {
			return err
		}
		formula = "total_price * vat_percent / 100"
		vat.Quo(vat.Mul(sum, percent), big.NewRat(100, 1))
	}
	compare("vat_price", e.VATPrice, formula, vat, i.VATPrice)
	compare("pay_price", e.PayPrice, "total_price + vat_price", new(big.Rat).Add(sum, e.VATPrice.rounded(vat)), i.PayPrice)
	return errors.Join(errs...)
}

// rounded is the exact value with the step's number of digits. FloatString rounds halves away from zero.
func (s step) rounded(value *big.Rat) *big.Rat {
	r, _ := new(big.Rat).SetString(value.FloatString(s.Digits))
	return r
}

// check compares the step with its formula, the value of that, and the amount.
func (s step) check(formula string, want *big.Rat, amount string) error {
	value, err := exact(s.Exact)
	switch {
	case err != nil:
		return err
	case s.Formula != formula:
		return fmt.Errorf("has the formula %q, want %q", s.Formula, formula)
	case value.Cmp(want) != 0:
		return fmt.Errorf("is %s exactly, want %s", s.Exact, want.FloatString(10))
	case s.Rounding == nil && s.rounded(value).Cmp(value) != 0:
		return fmt.Errorf("is %s exactly, which needs rounding", s.Exact)
	case s.Rounding != nil && *s.Rounding != "half away from zero":
		return fmt.Errorf("is rounded %q", *s.Rounding)
	case value.FloatString(s.Digits) != s.Result || s.Result != amount:
		return fmt.Errorf("is %s, want %s and the amount %s", s.Result, value.FloatString(s.Digits), amount)
	}
	return nil
}

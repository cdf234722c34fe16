package httpapi

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/domain/invoice"
)

// maxValues is how many values a filter may have.
const maxValues = 100

// idsParam returns the ids that a filter has, separated by commas.
func idsParam[ID ~int64](p *params, name string) []ID {
	ids := several[ID](p, name, apidoc.ID, "a positive integer", 1, math.MaxInt64)
	refers[ID](p)
	return ids
}

// numbersParam returns the numbers that a filter has, separated by commas.
func numbersParam[T ~uint8](p *params, name string, low, high int64) []T {
	return several[T](p, name, apidoc.Between(low, high), fmt.Sprintf("an integer between %d and %d", low, high), low, high)
}

// creditsParam returns the ids of the invoices that credit notes are for, where 0 stands for invoices that are none.
func creditsParam(p *params) []invoice.ID {
	const name = "credits"
	p.declare(name, func() (apidoc.Schema, string) {
		return apidoc.Several(`{"type":"integer","format":"int64","minimum":0}`, maxValues),
			"Only credit notes for this invoice, or for one of several, separated by commas; 0: only invoices that are no credit notes."
	})
	undocumented := &params{query: p.query}
	ids := several[invoice.ID](undocumented, name, "", "0 or a positive integer", 0, math.MaxInt64)
	p.wrong = append(p.wrong, undocumented.wrong...)
	return ids
}

// several returns the values of a filter in ascending order, each once.
func several[T ~int64 | ~uint8](p *params, name string, schema apidoc.Schema, what string, low, high int64) (values []T) {
	p.declare(name, func() (apidoc.Schema, string) {
		return apidoc.Several(schema, maxValues), "Only records with this " + name + ", or with one of several, separated by commas."
	})
	raw := lastOf(p.query, name)
	if raw == "" {
		return nil
	}
	texts := strings.Split(raw, ",")
	if len(texts) > maxValues {
		p.reject(name, fmt.Sprintf("has %d values, more than %d", len(texts), maxValues))
		return nil
	}
	for i, text := range texts {
		n, err := strconv.ParseInt(text, 10, 64)
		switch isWrong := err != nil || n < low || n > high || text[0] == '+'; {
		case isWrong && len(texts) > 1:
			p.reject(name, fmt.Sprintf("must be integers separated by commas, each %s: value %d is not", what, i+1))
			return nil
		case isWrong:
			p.reject(name, "must be "+what)
			return nil
		}
		values = append(values, T(n))
	}
	slices.Sort(values)
	return slices.Compact(values)
}

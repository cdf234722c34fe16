package page

import (
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/encode"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Codes are the words for the values of attributes that are numbers.
var Codes = map[string][]Choice{
	"invoice.status_id": {{"1", "not paid"}, {"2", "paid"}, {"3", "closed"}, {"4", "cancelled"}},
	"client.type":       {{"1", "company"}, {"2", "person"}},
}

// display returns the text of a cell as people write it.
func display(n *readmodel.Node, cell, currency string) string {
	switch n.Kind {
	case readmodel.Money:
		return Money(cell, currency)
	case readmodel.Percent:
		return string(encode.Display(readmodel.Quantity, []byte(cell))) + " %"
	case readmodel.Quantity:
		return grouped(string(encode.Display(n.Kind, []byte(cell))))
	case readmodel.Time:
		const minutes = len("2006-01-02 15:04")
		return strings.TrimSuffix(cell[:min(len(cell), minutes)], " 00:00")
	case readmodel.Bool:
		if cell[0] == 't' {
			return "yes"
		}
		return "no"
	case readmodel.Texts:
		return strings.ReplaceAll(cell, ",", ", ")
	}
	return string(encode.Display(n.Kind, []byte(cell)))
}

// Money returns an amount of four fraction digits with its currency: in cents, if it is whole cents.
func Money(amount, currency string) string {
	if strings.Contains(amount, ".") {
		amount = strings.TrimSuffix(amount, "00")
	}
	return strings.TrimSpace(grouped(amount) + "\u00a0" + currency)
}

// grouped separates the thousands of a decimal number.
func grouped(number string) string {
	whole, fraction, hasFraction := strings.Cut(number, ".")
	first := 0
	if strings.HasPrefix(whole, "-") {
		first = 1
	}
	for i := len(whole) - 3; i > first; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if hasFraction {
		whole += "." + fraction
	}
	if first == 1 {
		whole = "\u2212" + whole[1:] // a minus sign
	}
	return whole
}

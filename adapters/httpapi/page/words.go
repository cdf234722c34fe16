package page

import (
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/encode"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// labels are the words for attributes and parameters that their names do not say.
var labels = map[string]string{
	"at":         "Day",
	"base_count": "Price is for", "bic": "BIC", "booker": "Accountant", "buyer_item_number": "Item number of the client",
	"client_id": "Client", "company": "Client", "company_name": "Legal name", "count": "Count", "created_at": "Created",
	"created_on": "Created", "credit": "To be paid back", "credits": "Credit note for", "date_from": "Date from", "date_to": "Date to",
	"deal_id": "Deal", "discount_percent": "Discount", "due": "Something due", "due_before": "Due before", "due_date": "Due on",
	"due_price": "Due", "email": "Email", "fname": "First name", "gtin": "GTIN", "iban": "IBAN", "id": "Id", "invoice_id": "Invoice",
	"issued_on": "Issued", "items": "Lines", "left": "Not allocated", "leader": "Director", "leader_rank": "Rank of the director",
	"lname": "Last name", "manager": "Created by", "notice": "Note", "overdue_1_30": "1 to 30 days overdue",
	"overdue_31_60": "31 to 60 days overdue", "overdue_61_90": "61 to 90 days overdue", "overdue_over_90": "Over 90 days overdue",
	"paid_from": "Paid from", "paid_on": "Paid on", "paid_price": "Paid", "paid_to": "Paid to", "pay_price": "Amount to pay",
	"performer": "Seller", "performer_id": "Seller", "price": "Unit price", "real_address": "Address", "ref": "Your key",
	"sales_order": "Order number", "status_id": "Status", "total_count": "Number of lines", "total_price": "Net", "type_id": "Type",
	"units": "Unit", "update_on": "Changed", "updated_at": "Changed", "updated_on": "Changed", "updated_since": "Changed since",
	"user": "Responsible", "user_id": "User", "vat": "VAT", "vat_category": "VAT category", "vat_id": "VAT id", "vat_percent": "VAT rate",
	"vat_price": "VAT", "vat_reason": "Reason for no VAT", "vat_use": "Charges VAT", "waived_price": "Waived",
}

// Words returns the plain words for an attribute or a parameter.
func Words(name string) string {
	if label, ok := labels[name]; ok {
		return label
	}
	if name == "" || strings.ContainsAny(name, ".[") {
		return name
	}
	return strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "_", " ")
}

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

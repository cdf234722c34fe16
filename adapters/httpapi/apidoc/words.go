package apidoc

import "strings"

// labels are the words for attributes and parameters that their names do not say.
var labels = map[string]string{
	"base_count": "Price is for", "bic": "BIC", "booker": "Accountant", "booker_sig_file": "Signature of the accountant",
	"buyer_item_number": "Item number of the client", "by": "Grouped by", "client_id": "Client", "company": "Client",
	"company_name": "Legal name", "created_at": "Created", "created_on": "Created", "credit": "To be paid back",
	"credits": "Credit note for", "deal_id": "Deal", "debited_iban": "Debited IBAN",
	"discount_percent": "Discount", "discount_percent_early": "Discount for early payment",
	"due": "Something due", "due_date": "Due on", "due_price": "Due",
	"endpoint_id": "Electronic address", "endpoint_scheme": "Scheme of the electronic address", "fname": "First name", "gtin": "GTIN",
	"iban": "IBAN", "invoice_id": "Invoice", "issued_on": "Issued", "items_count": "Number of lines",
	"known_at": "As known on", "leader": "Director", "leader_rank": "Rank of the director",
	"leader_sig_file": "Signature of the director", "left": "Not allocated", "lname": "Last name", "manager": "Created by",
	"notice": "Note", "overdue_1_30": "1 to 30 days overdue", "overdue_31_60": "31 to 60 days overdue",
	"overdue_61_90": "61 to 90 days overdue", "overdue_over_90": "Over 90 days overdue",
	"paid_price": "Paid", "pay_price": "Amount to pay", "performer": "Seller",
	"performer_id": "Seller", "price": "Unit price", "real_address": "Address", "ref": "Your key", "remittance": "Payment reference",
	"sales_order": "Order number", "sha256": "SHA-256", "stamp_file": "Stamp", "street2": "Street, second line", "status_id": "Status",
	"total_count": "Number of lines", "total_price": "Net", "type_id": "Type", "units": "Unit", "update_on": "Changed",
	"updated_at": "Changed", "updated_on": "Changed", "updated_since": "Changed since", "user": "Responsible", "user_id": "User",
	"vat": "VAT", "vat_category": "VAT category", "vat_id": "VAT id", "vat_percent": "VAT rate", "vat_price": "VAT",
	"vat_reason": "Reason for no VAT", "vat_reason_code": "Code of the reason for no VAT", "vat_use": "Charges VAT",
	"waived_price": "Waived", "zip": "Postal code",
}

// Words returns the plain words for an attribute or a parameter, which pages and the OpenAPI document share.
func Words(name string) string {
	if label, ok := labels[name]; ok {
		return label
	}
	if name == "" || strings.ContainsAny(name, ".[") {
		return name
	}
	return strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "_", " ")
}

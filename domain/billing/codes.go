package billing

// Code returns the code of the category in electronic invoices (UNTDID 5305).
func (c Category) Code() string {
	switch c {
	case Standard:
		return "S"
	case Zero:
		return "Z"
	case Exempt:
		return "E"
	case ReverseCharge:
		return "AE"
	case Outside:
		return "O"
	}
	return ""
}

// ReasonCode returns the code of the reason why no VAT is charged (VATEX); empty if the category
// does not say.
func (c Category) ReasonCode() string {
	switch c {
	case ReverseCharge:
		return "VATEX-EU-AE"
	case Outside:
		return "VATEX-EU-O"
	}
	return ""
}

// Code returns the code of the kind in electronic invoices (UNTDID 1001).
func (k Kind) Code() string {
	if k == CreditNote {
		return "381"
	}
	return "380"
}

// The codes of means of payment (UNTDID 4461).
const (
	paymentUndefined = "1"
	creditTransfer   = "30"
	sepaTransfer     = "58"
)

// PaymentCode returns the code of the means of payment: a credit transfer to the account, in SEPA if
// the currency is the euro. Without an account it is undefined for a credit note, and empty for an
// invoice. Danish rules know no other code for a transfer to an IBAN than that of SEPA.
func (d *Document) PaymentCode() string {
	switch {
	case d.Account.IBAN == "" && d.Kind == CreditNote:
		return paymentUndefined
	case d.Account.IBAN == "":
		return ""
	case d.Currency == "EUR" || d.Seller.Country == "DK":
		return sepaTransfer
	}
	return creditTransfer
}

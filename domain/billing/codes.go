package billing

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
	sepaDebit        = "59"
)

// PaymentCode returns the code of the means of payment: that of the terms, or else a credit transfer to the account, in SEPA if
// the currency is the euro. Without an account it is undefined for a credit note, and empty for an
// invoice. Danish rules know no other code for a transfer to an IBAN than that of SEPA.
func (d *Document) PaymentCode() string {
	switch {
	case d.Trade.PaymentMeans != "":
		return d.Trade.PaymentMeans
	case d.Account.ID() == "" && d.Kind == CreditNote:
		return paymentUndefined
	case d.Account.ID() == "":
		return ""
	case d.Account.IBAN != "" && (d.Currency == "EUR" || d.Seller.Country == "DK"):
		return sepaTransfer
	}
	return creditTransfer
}

// GTINScheme is the scheme of a GTIN (ISO 6523).
const GTINScheme = "0160"

// The reason of a discount in electronic invoices, and its code (UNTDID 5189).
const (
	DiscountReason = "Discount"
	DiscountCode   = "95"
)

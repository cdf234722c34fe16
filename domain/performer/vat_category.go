package performer

// VATCategory is a VAT category, in the words of the API. "" is none.
type VATCategory string

// The VAT categories.
const (
	Standard       VATCategory = "standard"
	Zero           VATCategory = "zero"
	Exempt         VATCategory = "exempt"
	ReverseCharge  VATCategory = "reverse_charge"
	Outside        VATCategory = "outside"         // not subject to VAT
	IntraCommunity VATCategory = "intra_community" // a supply to a company in another country of the EU
	Export         VATCategory = "export"          // out of the EU
)

// VATCategories are all VAT categories.
var VATCategories = []string{
	string(Standard), string(Zero), string(Exempt), string(ReverseCharge), string(Outside), string(IntraCommunity), string(Export),
}

// IsCharged reports whether the category is one that charges VAT, be it of 0 %. Others need a reason why none is charged.
func (c VATCategory) IsCharged() bool { return c == Standard || c == Zero }

// Code returns the code of the category in electronic invoices (UNTDID 5305).
func (c VATCategory) Code() string {
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
	case IntraCommunity:
		return "K"
	case Export:
		return "G"
	}
	return ""
}

// ReasonCode returns the code of the reason why no VAT is charged (VATEX); empty if the category
// does not say.
func (c VATCategory) ReasonCode() string {
	switch c {
	case ReverseCharge:
		return "VATEX-EU-AE"
	case Outside:
		return "VATEX-EU-O"
	case IntraCommunity:
		return "VATEX-EU-IC"
	case Export:
		return "VATEX-EU-G"
	}
	return ""
}

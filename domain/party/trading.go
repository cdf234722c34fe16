package party

import (
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// MaxLegalText is the maximum number of characters of the legal text, which is printed in the footer.
const MaxLegalText = 1024

// checkTrading checks the identifiers that parties have for each other, the legal text, and the account.
func (s *State) checkTrading(c *fault.Collector, before State) {
	const scheme = "must be four digits of ISO 6523, such as 0088"
	short(c, "account_holder", &s.AccountHolder, before.AccountHolder, text.Short)
	short(c, "account_number", &s.AccountNumber, before.AccountNumber, MaxCode)
	short(c, "seller_id", &s.SellerID, before.SellerID, text.Short)
	code(c, "seller_id_scheme", &s.SellerIDScheme, before.SellerIDScheme, icd.MatchString, scheme)
	short(c, "legal_text", &s.LegalText, before.LegalText, MaxLegalText)
	short(c, "buyer_id", &s.BuyerID, before.BuyerID, text.Short)
	code(c, "buyer_id_scheme", &s.BuyerIDScheme, before.BuyerIDScheme, icd.MatchString, scheme)
}

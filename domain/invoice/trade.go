package invoice

import "github.com/kontor-crm/kontor/domain/party"

// MaxPaymentTerms is the maximum number of characters of the payment terms.
const MaxPaymentTerms = party.MaxPaymentTerms

// TradeTerms are what documents say of an order, its delivery and its payment.
type TradeTerms = party.TradeTerms

// WithDefaults returns the attributes of a new invoice, with these terms where they have none of their own. An empty one is none, too.
func (a Attributes) WithDefaults(t TradeTerms) Attributes {
	if t == (TradeTerms{}) {
		return a
	}
	change := a.Trade
	a.Trade = func(TradeTerms) TradeTerms {
		if change == nil {
			return t
		}
		return t.Changed(change)
	}
	return a
}

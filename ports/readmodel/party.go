package readmodel

import "slices"

// ClientParties has the attributes of the parties of clients. The id is the client's.
var ClientParties = &Resource{
	Name:       "party of a client",
	Absent:     "there is no such client, or it has no party: PUT stores one",
	Attributes: slices.Concat(partyAttributes, optionalTexts("account_holder", "account_number", "buyer_id", "buyer_id_scheme"), defaultTerms),
}

// PerformerParties has the attributes of the parties of performers. The id is the performer's.
var PerformerParties = &Resource{
	Name:   "party of a performer",
	Absent: "there is no such performer, or it has no party: PUT stores one",
	Attributes: slices.Concat(partyAttributes, optionalTexts("currency", "vat_category", "vat_reason"), []Attribute{
		{Name: "digits", Kind: Integer},
		{Name: "numbering", Kind: Text},
	}, optionalTexts("number_pattern", "credit_pattern"), []Attribute{{Name: "chronological", Kind: Bool}}, optionalTexts(
		"vat_reason_code", "account_holder", "account_number", "seller_id", "seller_id_scheme", "legal_text",
	), defaultTerms),
}

var partyAttributes = slices.Concat([]Attribute{{Name: "id", Kind: ID}},
	optionalTexts(
		"legal_name", "street", "street2", "zip", "city", "region", "country", "vat_id", "tax_number", "registration_id",
		"registration_scheme", "iban", "bic", "contact_name", "contact_phone", "contact_email", "endpoint_id", "endpoint_scheme",
		"buyer_reference",
	),
	[]Attribute{
		{Name: "payment_days", Kind: Integer, Optional: true},
		{Name: "discount_percent", Kind: Percent, Optional: true},
		{Name: "discount_days", Kind: Integer, Optional: true},
	}, optionalTexts("language"))

func optionalTexts(names ...string) (attributes []Attribute) {
	for _, name := range names {
		attributes = append(attributes, Attribute{Name: name, Kind: Text, Optional: true})
	}
	return attributes
}

// defaultTerms are the terms that new invoices have: those of tradeTerms that are not of one invoice alone.
var defaultTerms = []Attribute{{
	Name: "terms", Kind: Object, As: "PartyTerms", IsWhole: true,
	Of: slices.DeleteFunc(slices.Clone(tradeTerms), func(a Attribute) bool {
		return slices.Contains([]string{"delivery_date", "period_from", "period_to", "sales_order", "remittance"}, a.Name)
	}),
}}

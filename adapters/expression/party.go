package expression

import (
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/ports/repository"
)

var clientPartyKind = newKind("client party", slices.Concat(partyAttributes, accountAttributes, []attribute{
	textOf("buyer_id", func(s *party.State) string { return s.BuyerID }),
	textOf("buyer_id_scheme", func(s *party.State) string { return s.BuyerIDScheme }),
})...)

var performerPartyKind = newKind("performer party", slices.Concat(partyAttributes, []attribute{
	textOf("currency", func(s *party.State) string { return s.Currency }),
	textOf("vat_category", func(s *party.State) string { return s.VATCategory }),
	textOf("vat_reason", func(s *party.State) string { return s.VATReason }),
	intOf("digits", func(s *party.State) int32 { return s.Digits }),
	textOf("numbering", func(s *party.State) string { return s.Numbering }),
	textOf("number_pattern", func(s *party.State) string { return s.NumberPattern }),
	textOf("credit_pattern", func(s *party.State) string { return s.CreditPattern }),
	boolOf("chronological", func(s *party.State) bool { return s.Chronological }),
	textOf("vat_reason_code", func(s *party.State) string { return s.VATReasonCode }),
}, accountAttributes, []attribute{
	textOf("seller_id", func(s *party.State) string { return s.SellerID }),
	textOf("seller_id_scheme", func(s *party.State) string { return s.SellerIDScheme }),
	textOf("legal_text", func(s *party.State) string { return s.LegalText }),
})...)

var accountAttributes = []attribute{
	textOf("account_holder", func(s *party.State) string { return s.AccountHolder }),
	textOf("account_number", func(s *party.State) string { return s.AccountNumber }),
	newAttribute("terms", termsKind.typ, func(r *record) ref.Val {
		return &record{kind: termsKind, state: &r.state.(*party.State).Terms, in: r.in}
	}),
}

var partyAttributes = []attribute{
	textOf("legal_name", func(s *party.State) string { return s.LegalName }),
	textOf("street", func(s *party.State) string { return s.Street }),
	textOf("street2", func(s *party.State) string { return s.Street2 }),
	textOf("zip", func(s *party.State) string { return s.Zip }),
	textOf("city", func(s *party.State) string { return s.City }),
	textOf("region", func(s *party.State) string { return s.Region }),
	textOf("country", func(s *party.State) string { return s.Country }),
	textOf("vat_id", func(s *party.State) string { return s.VATID }),
	textOf("tax_number", func(s *party.State) string { return s.TaxNumber }),
	textOf("registration_id", func(s *party.State) string { return s.RegistrationID }),
	textOf("registration_scheme", func(s *party.State) string { return s.RegistrationScheme }),
	textOf("iban", func(s *party.State) string { return s.IBAN }),
	textOf("bic", func(s *party.State) string { return s.BIC }),
	textOf("contact_name", func(s *party.State) string { return s.ContactName }),
	textOf("contact_phone", func(s *party.State) string { return s.ContactPhone }),
	textOf("contact_email", func(s *party.State) string { return s.ContactEmail }),
	textOf("endpoint_id", func(s *party.State) string { return s.EndpointID }),
	textOf("endpoint_scheme", func(s *party.State) string { return s.EndpointScheme }),
	textOf("buyer_reference", func(s *party.State) string { return s.BuyerReference }),
	daysOf("payment_days", func(s *party.State) domain.Optional[int32] { return s.PaymentDays }),
	numberOf("discount_percent", func(s *party.State) money.Number { return s.DiscountPercent.Number() }),
	daysOf("discount_days", func(s *party.State) domain.Optional[int32] { return s.DiscountDays }),
	textOf("language", func(s *party.State) string { return s.Language }),
}

func daysOf(name string, get func(s *party.State) domain.Optional[int32]) attribute {
	return optional(newAttribute(name, idType, func(r *record) ref.Val {
		days, ok := get(r.state.(*party.State)).Get()
		if !ok {
			return types.NullValue
		}
		return types.Int(days)
	}))
}

// partyOf is the party of a record, which the change or else the answer about the record has; null without one.
func partyOf[S any, ID ~int64](k *kind, asks repository.FactKind, id func(s *S) ID) attribute {
	a := optional(newAttribute("party", k.typ, func(r *record) ref.Val {
		switch change := r.in.Party; {
		case r.in.HidesID && r == &r.in.after:
			return types.NullValue // a new record has none
		case change != nil && r == &r.in.after:
			return partyIn(r.in, k, change.After)
		case change != nil && r == &r.in.before:
			return partyIn(r.in, k, change.Before)
		}
		q := repository.Question{Kind: asks, ID: int64(id(r.state.(*S)))}
		return ask(&r.in.facts, q, func(_ *record, a repository.Answer) ref.Val { return partyIn(r.in, k, a.Party) })
	}))
	a.asks = repository.FactsOf(asks)
	return a
}

func partyIn(e *evaluation, k *kind, s *party.State) ref.Val {
	if s == nil {
		return types.NullValue
	}
	return &record{kind: k, state: s, in: e}
}

package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/party"
)

type ownedParty struct {
	owner party.Owner
	party.State
}

// partyOf is the condition for the party of an owner, the first columns of parties.
const partyOf = "where performer_id = $1 or client_id = $2\n"

var parties = mapped("parties", func(c *columns, s *ownedParty) {
	referenceTo(c, "performer_id", &s.owner.Performer)
	referenceTo(c, "client_id", &s.owner.Client)
	versionOf(c, &s.Version)
	text(c, "legal_name", &s.LegalName)
	text(c, "street", &s.Street)
	text(c, "street2", &s.Street2)
	text(c, "zip", &s.Zip)
	text(c, "city", &s.City)
	text(c, "region", &s.Region)
	text(c, "country", &s.Country)
	text(c, "vat_id", &s.VATID)
	text(c, "tax_number", &s.TaxNumber)
	text(c, "registration_id", &s.RegistrationID)
	text(c, "registration_scheme", &s.RegistrationScheme)
	text(c, "iban", &s.IBAN)
	text(c, "bic", &s.BIC)
	text(c, "contact_name", &s.ContactName)
	text(c, "contact_phone", &s.ContactPhone)
	text(c, "contact_email", &s.ContactEmail)
	text(c, "endpoint_id", &s.EndpointID)
	text(c, "endpoint_scheme", &s.EndpointScheme)
	text(c, "buyer_reference", &s.BuyerReference)
	text(c, "language", &s.Language)
	text(c, "currency", &s.Currency)
	text(c, "vat_category", &s.VATCategory)
	text(c, "vat_reason", &s.VATReason)
	text(c, "number_pattern", &s.NumberPattern)
	text(c, "credit_pattern", &s.CreditPattern)
	value(c, "numbering", &s.Numbering)
	value(c, "digits", &s.Digits)
	value(c, "chronological", &s.Chronological)
	optional(c, "payment_days", &s.PaymentDays)
	percentage(c, "discount_percent", &s.DiscountPercent)
	optional(c, "discount_days", &s.DiscountDays)
	text(c, "vat_reason_code", &s.VATReasonCode)
	text(c, "account_holder", &s.AccountHolder)
	text(c, "account_number", &s.AccountNumber)
	text(c, "seller_id", &s.SellerID)
	text(c, "seller_id_scheme", &s.SellerIDScheme)
	text(c, "legal_text", &s.LegalText)
	text(c, "buyer_id", &s.BuyerID)
	text(c, "buyer_id_scheme", &s.BuyerIDScheme)
	value(c, "terms", &s.Terms)
})

type partyStore struct{ *unit }

func ownerRow(o party.Owner) []any { return []any{reference(o.Performer), reference(o.Client)} }

func (r partyStore) Lock(ctx context.Context, owner party.Owner) (party.State, error) {
	var s ownedParty
	_, err := r.one(ctx, parties.targets(&s), parties.selects+partyOf+"for no key update", ownerRow(owner)...)
	return s.State, err
}

// party queues what reads the party of an owner; zero if there is none.
func (u *unit) party(s *party.State, owner party.Owner) {
	u.readParty(owner, func(found party.State) { *s = found })
}

// readParty queues what reads the party of an owner. found gets it if there is one.
func (u *unit) readParty(owner party.Owner, found func(s party.State)) {
	u.query(func(rows pgx.Rows) error {
		if !rows.Next() {
			return nil
		}
		var s ownedParty
		err := rows.Scan(parties.targets(&s)...)
		found(s.State)
		return err
	}, parties.selects+partyOf, ownerRow(owner)...)
}

func (r partyStore) Save(_ context.Context, owner party.Owner, s party.State) error {
	r.changes.Parties = append(r.changes.Parties, owner)
	stored := ownedParty{owner, s}
	if s.Version == 0 {
		r.Store(parties.insert, parties.row(&stored, r.meta.At, r.newID())...)
		return nil
	}
	r.Store(parties.update+partyOf, parties.row(&stored, r.meta.At)...)
	return nil
}

func (r partyStore) Remove(_ context.Context, owner party.Owner) error {
	r.changes.Parties = append(r.changes.Parties, owner)
	r.removeParty(owner)
	return nil
}

func (u *unit) removeParty(owner party.Owner) {
	u.Remove("delete from parties "+partyOf, ownerRow(owner)...)
}

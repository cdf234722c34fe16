package pgstore

import (
	"context"
	"database/sql"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/party"
)

type parties struct{ *unit }

const selectParty = `
select
    version,
    coalesce(legal_name, ''), coalesce(street, ''), coalesce(street2, ''), coalesce(zip, ''), coalesce(city, ''),
    coalesce(region, ''), coalesce(country, ''), coalesce(vat_id, ''), coalesce(tax_number, ''),
    coalesce(registration_id, ''), coalesce(registration_scheme, ''), coalesce(iban, ''), coalesce(bic, ''),
    coalesce(contact_name, ''), coalesce(contact_phone, ''), coalesce(contact_email, ''),
    coalesce(endpoint_id, ''), coalesce(endpoint_scheme, ''), coalesce(buyer_reference, ''),
    coalesce(language, ''), coalesce(currency, ''), coalesce(vat_category, ''), coalesce(vat_reason, ''),
    coalesce(number_pattern, ''), coalesce(credit_pattern, ''), numbering, digits, chronological, payment_days
from parties
where performer_id = $1 or client_id = $2
`

// partyTexts are the texts of a party, in the order in which all statements have them.
func partyTexts(s *party.State) []*string {
	return []*string{
		&s.LegalName, &s.Street, &s.Street2, &s.Zip, &s.City, &s.Region, &s.Country, &s.VATID, &s.TaxNumber,
		&s.RegistrationID, &s.RegistrationScheme, &s.IBAN, &s.BIC, &s.ContactName, &s.ContactPhone, &s.ContactEmail,
		&s.EndpointID, &s.EndpointScheme, &s.BuyerReference, &s.Language, &s.Currency, &s.VATCategory, &s.VATReason,
		&s.NumberPattern, &s.CreditPattern,
	}
}

func partyColumns(s *party.State) []any {
	targets := []any{&s.Version}
	for _, t := range partyTexts(s) {
		targets = append(targets, t)
	}
	return append(targets, &s.Numbering, &s.Digits, &s.Chronological, scanner(func(src any) error {
		var days sql.NullInt32
		err := days.Scan(src)
		if days.Valid {
			s.PaymentDays = domain.Some(days.Int32)
		}
		return err
	}))
}

func partyRow(owner party.Owner, s party.State) []any {
	row := ownerRow(owner)
	for _, t := range partyTexts(&s) {
		row = append(row, missing(*t))
	}
	row = append(row, s.Numbering, s.Digits, s.Chronological)
	if days, ok := s.PaymentDays.Get(); ok {
		return append(row, days)
	}
	return append(row, nil)
}

func ownerRow(o party.Owner) []any { return []any{reference(o.Performer), reference(o.Client)} }

func (r parties) Lock(ctx context.Context, owner party.Owner) (s party.State, err error) {
	if owner.Performer != 0 {
		r.lockPerformer(owner.Performer)
	}
	_, err = r.one(ctx, partyColumns(&s), selectParty+"for no key update", ownerRow(owner)...)
	return s, err
}

func (r parties) Save(_ context.Context, owner party.Owner, s party.State) error {
	if s.Version == 0 {
		r.Store(`
insert into parties (
    performer_id, client_id, legal_name, street, street2, zip, city, region, country, vat_id, tax_number,
    registration_id, registration_scheme, iban, bic, contact_name, contact_phone, contact_email,
    endpoint_id, endpoint_scheme, buyer_reference, language, currency, vat_category, vat_reason,
    number_pattern, credit_pattern, numbering, digits, chronological, payment_days, id
)
values (
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
    $26, $27, $28, $29, $30, $31, coalesce($32, nextval('parties_id_seq'))
)`, append(partyRow(owner, s), r.newID())...)
		return nil
	}
	r.Store(`
update parties
set
    version = version + 1,
    legal_name = $3, street = $4, street2 = $5, zip = $6, city = $7, region = $8, country = $9, vat_id = $10,
    tax_number = $11, registration_id = $12, registration_scheme = $13, iban = $14, bic = $15, contact_name = $16,
    contact_phone = $17, contact_email = $18, endpoint_id = $19, endpoint_scheme = $20, buyer_reference = $21,
    language = $22, currency = $23, vat_category = $24, vat_reason = $25, number_pattern = $26, credit_pattern = $27,
    numbering = $28, digits = $29, chronological = $30, payment_days = $31
where performer_id = $1 or client_id = $2`, partyRow(owner, s)...)
	return nil
}

func (r parties) Remove(_ context.Context, owner party.Owner) error {
	r.removeParty(owner)
	return nil
}

func (u *unit) removeParty(owner party.Owner) {
	u.Remove("delete from parties where performer_id = $1 or client_id = $2", ownerRow(owner)...)
}

package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
)

type performers struct {
	tracker[performer.ID, performer.State]
}

func performerKey(s performer.State) performer.ID { return s.ID }

const selectPerformer = `
select
    id, version, status, name,
    coalesce(company_name, ''), coalesce(company_address, ''), coalesce(real_address, ''),
    coalesce(bank_details, ''), coalesce(company_details, ''), coalesce(leader, ''),
    coalesce(leader_rank, ''), coalesce(booker, ''), coalesce(phone, ''), coalesce(email, ''),
    vat_use, vat_percent::text,
    coalesce(stamp_file, ''), coalesce(leader_sig_file, ''), coalesce(booker_sig_file, ''), coalesce(logo, ''),
    created_at, updated_at, coalesce(ref, '')
from performers
`

func performerColumns(s *performer.State) []any {
	return []any{
		&s.ID, &s.Version, &s.Status, &s.Name,
		&s.CompanyName, &s.CompanyAddress, &s.RealAddress,
		&s.BankDetails, &s.CompanyDetails, &s.Leader,
		&s.LeaderRank, &s.Booker, &s.Phone, &s.Email,
		&s.Terms.VATUse, parsed(&s.Terms.VATPercent, money.ParsePercent),
		&s.StampFile, &s.LeaderSigFile, &s.BookerSigFile, &s.Logo,
		&s.CreatedAt, &s.UpdatedAt, &s.Ref,
	}
}

func (r *performers) Lock(ctx context.Context, id performer.ID) (*performer.Performer, error) {
	var s performer.State
	if err := r.existing(ctx, "performer", performerColumns(&s), selectPerformer+forNoKeyUpdate, id); err != nil {
		return nil, err
	}
	r.locked(s)
	return performer.Restore(s), nil
}

func (r *performers) Add(ctx context.Context, p *performer.Performer) (performer.ID, error) {
	s := p.State()
	_, err := r.one(ctx, []any{&s.ID}, `
insert into performers (
    id, status, name, name_key, company_name, company_address, real_address, bank_details, company_details,
    leader, leader_rank, booker, phone, email, vat_use, vat_percent,
    stamp_file, leader_sig_file, booker_sig_file, logo, text_keys, updated_at, ref, created_at
)
values (
    coalesce($24, nextval('performers_id_seq')), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
    $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23
)
returning id`, append(performerRow(s), s.CreatedAt, r.newID())...)
	if err != nil {
		return 0, err
	}
	r.added(s)
	return s.ID, nil
}

func (r *performers) Save(_ context.Context, p *performer.Performer) error {
	s := p.State()
	if !r.saved(s) {
		return nil
	}
	r.Store(`
update performers
set
    version = version + 1,
    status = $1, name = $2, name_key = $3, company_name = $4, company_address = $5, real_address = $6,
    bank_details = $7, company_details = $8, leader = $9, leader_rank = $10, booker = $11, phone = $12, email = $13,
    vat_use = $14, vat_percent = $15,
    stamp_file = $16, leader_sig_file = $17, booker_sig_file = $18, logo = $19, text_keys = $20, updated_at = $21,
    ref = $22
where id = $23`, append(performerRow(s), s.ID)...)
	return nil
}

func (r *performers) Remove(_ context.Context, p *performer.Performer) error {
	s := p.State()
	r.removed(s)
	r.removeParty(party.Owner{Performer: s.ID})
	r.removePictures(s.ID, "")
	r.removeUnused("delete from performers where id = $1", int64(s.ID), referrer{"invoices", "performer_id"})
	return nil
}

// performerRow is what a performer stores each time, in the order in which
// both statements number it.
func performerRow(s performer.State) []any {
	return []any{
		s.Status, s.Name, textkey.Of(s.Name), missing(s.CompanyName), missing(s.CompanyAddress), missing(s.RealAddress),
		missing(s.BankDetails), missing(s.CompanyDetails), missing(s.Leader), missing(s.LeaderRank), missing(s.Booker),
		missing(s.Phone), missing(s.Email), s.Terms.VATUse, s.Terms.VATPercent.String(),
		missing(s.StampFile), missing(s.LeaderSigFile), missing(s.BookerSigFile), missing(s.Logo),
		performerKeys(s), s.UpdatedAt, missing(s.Ref),
	}
}

// performerKeys are the keys of the texts other than the name; a missing text
// has none.
func performerKeys(s performer.State) map[string]string {
	keys := map[string]string{}
	for attribute, text := range map[string]string{
		"company_name":    s.CompanyName,
		"company_address": s.CompanyAddress,
		"real_address":    s.RealAddress,
		"bank_details":    s.BankDetails,
		"company_details": s.CompanyDetails,
		"leader":          s.Leader,
		"leader_rank":     s.LeaderRank,
		"booker":          s.Booker,
		"phone":           s.Phone,
		"email":           s.Email,
		"stamp_file":      s.StampFile,
		"leader_sig_file": s.LeaderSigFile,
		"booker_sig_file": s.BookerSigFile,
		"logo":            s.Logo,
	} {
		if text != "" {
			keys[attribute] = textkey.Of(text)
		}
	}
	return keys
}

package pgstore

import (
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
)

var performers = kept("performers", table[performer.ID, *performer.Performer, performer.State]{
	what: "performer", restore: performer.Restore, same: same[performer.State],
	key: func(s *performer.State) (*performer.ID, *int64) { return &s.ID, &s.Version },
	removing: func(u *unit, s performer.State) {
		u.removeParty(party.Owner{Performer: s.ID})
		u.removePictures(s.ID, "")
	},
	referrers: []referrer{{"invoices", "performer_id"}, {"payments", byHand + "performer_id"}},
}, func(c *columns, s *performer.State) {
	value(c, "status", &s.Status)
	title(c, "name", &s.Name)
	sorted(c, "company_name", &s.CompanyName)
	text(c, "company_address", &s.CompanyAddress)
	text(c, "real_address", &s.RealAddress)
	text(c, "bank_details", &s.BankDetails)
	text(c, "company_details", &s.CompanyDetails)
	text(c, "leader", &s.Leader)
	text(c, "leader_rank", &s.LeaderRank)
	text(c, "booker", &s.Booker)
	sorted(c, "phone", &s.Phone)
	sorted(c, "email", &s.Email)
	value(c, "vat_use", &s.Terms.VATUse)
	spelled(c, "vat_percent", &s.Terms.VATPercent, money.ParsePercent)
	text(c, "stamp_file", &s.StampFile)
	text(c, "leader_sig_file", &s.LeaderSigFile)
	text(c, "booker_sig_file", &s.BookerSigFile)
	text(c, "logo", &s.Logo)
	value(c, "created_at", &s.CreatedAt)
	value(c, "updated_at", &s.UpdatedAt)
	text(c, "ref", &s.Ref)
})

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
	referrers: []referrer{{"invoices", "performer_id"}},
}, func(c *columns, s *performer.State) {
	sharedKeys(c, "text_keys")
	value(c, "status", &s.Status)
	title(c, "name", &s.Name)
	keyed(c, "company_name", &s.CompanyName)
	keyed(c, "company_address", &s.CompanyAddress)
	keyed(c, "real_address", &s.RealAddress)
	keyed(c, "bank_details", &s.BankDetails)
	keyed(c, "company_details", &s.CompanyDetails)
	keyed(c, "leader", &s.Leader)
	keyed(c, "leader_rank", &s.LeaderRank)
	keyed(c, "booker", &s.Booker)
	keyed(c, "phone", &s.Phone)
	keyed(c, "email", &s.Email)
	value(c, "vat_use", &s.Terms.VATUse)
	spelled(c, "vat_percent", &s.Terms.VATPercent, money.ParsePercent)
	keyed(c, "stamp_file", &s.StampFile)
	keyed(c, "leader_sig_file", &s.LeaderSigFile)
	keyed(c, "booker_sig_file", &s.BookerSigFile)
	keyed(c, "logo", &s.Logo)
	value(c, "created_at", &s.CreatedAt)
	value(c, "updated_at", &s.UpdatedAt)
	text(c, "ref", &s.Ref)
})

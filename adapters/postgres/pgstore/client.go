package pgstore

import (
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/party"
)

var clients = kept("clients", table[client.ID, *client.Client, client.State]{
	what: "client", restore: client.Restore, same: same[client.State],
	key:       func(s *client.State) (*client.ID, *int64) { return &s.ID, &s.Version },
	removing:  func(u *unit, s client.State) { u.removeParty(party.Owner{Client: s.ID}) },
	referrers: []referrer{{"deals", "client_id"}, {"invoices", "client_id"}, {"payments", byHand + "client_id"}},
}, func(c *columns, s *client.State) {
	value(c, "user_id", &s.UserID)
	value(c, "type", &s.Type)
	title(c, "name", &s.Name)
	sorted(c, "email", &s.Email)
	sorted(c, "phone", &s.Phone)
	text(c, "real_address", &s.RealAddress)
	text(c, "description", &s.Description)
	text(c, "company_address", &s.CompanyAddress)
	text(c, "bank_details", &s.BankDetails)
	text(c, "person_details", &s.PersonDetails)
	value(c, "created_at", &s.CreatedAt)
	value(c, "updated_at", &s.UpdatedAt)
	text(c, "ref", &s.Ref)
	optionalTime(c, "erased_on", &s.ErasedOn)
})

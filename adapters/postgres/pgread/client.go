package pgread

import (
	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewClients makes the reader of clients.
func NewClients(db Querier) readmodel.Reader[readmodel.ClientFilter] {
	return newReader(db, clients, func(f readmodel.ClientFilter) sq.And {
		and := equals(sq.And{}, "r.user_id", f.UserID)
		and = equals(and, "r.type", f.Type)
		and = contains(and, "r.name_key", f.Name)
		and = contains(and, "r.name_key", f.Search)
		return matches(and, "r.email_key", f.Email)
	})
}

var clients = &model{
	resource: readmodel.Clients,
	table:    "clients",
	columns: merge(map[string]string{
		"id":              "r.id",
		"version":         "r.version",
		"user":            "r.user_id",
		"user_id":         "r.user_id",
		"name":            "r.name",
		"type":            "r.type",
		"email":           "r.email",
		"phone":           "r.phone",
		"real_address":    "r.real_address",
		"description":     "r.description",
		"company_address": "r.company_address",
		"bank_details":    "r.bank_details",
		"person_details":  "r.person_details",
		"created_at":      "r.created_at",
		"updated_at":      "r.updated_at",
		"count_deals":     "(select count(*) from deals d where d.client_id = r.id)",
		"count_offers":    "(select count(*) from offers o join deals d on d.id = o.deal_id where d.client_id = r.id)",
		"count_contracts": "(select count(*) from contracts c join deals d on d.id = c.deal_id where d.client_id = r.id)",
		"count_invoices":  "(select count(*) from invoices i where i.client_id = r.id)",
	}, embeddedUser("user", "u")),
	joins: map[string]string{"user": "left join users u on u.id = r.user_id"},
	keys: map[string]string{
		"name":         "r.name_key",
		"email":        "r.email_key",
		"phone":        "r.phone_key",
		"real_address": "r.real_address_key",
		"description":  "r.description_key",
	},
}

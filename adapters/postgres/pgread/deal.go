package pgread

import (
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewDeals returns the reader of deals.
func NewDeals(db Querier) readmodel.Reader[readmodel.DealFilter] {
	type asked = readmodel.DealFilter
	return newReader(db, deals,
		ofClient(func(f asked) optional.Of[client.ID] { return f.ClientID }).sortedBy("id", "client_id"),
		equal("user_id", func(f asked) optional.Of[user.ID] { return f.UserID }).sortedBy("id", "user"),
		equal("status_id", func(f asked) optional.Of[catalog.StatusID] { return f.StatusID }).sortedBy("id", "status_id"),
		equal("type_id", func(f asked) optional.Of[catalog.DealTypeID] { return f.TypeID }).sortedBy("id", "type_id"),
		containing(listdef.Deals, "name", func(f asked) string { return f.Name }),
	)
}

var deals = &mapping{
	resource: readmodel.Deals,
	table:    "deals",
	columns: merge(
		map[string]string{
			"id":         "r.id",
			"version":    "r.version",
			"name":       "r.name",
			"client_id":  "r.client_id",
			"user":       "r.user_id",
			"user_id":    "r.user_id",
			"type_id":    "r.type_id",
			"status_id":  "r.status_id",
			"created_at": "r.created_at",
			"updated_at": "r.updated_at",
		},
		embeddedClient("client", "c"),
		embeddedUser("user", "u"),
		embeddedLabel("type", "t"),
		embeddedStatus("status", "s"),
	),
	joins: map[string]string{
		"client": "left join clients c on c.id = r.client_id",
		"user":   "left join users u on u.id = r.user_id",
		"type":   "left join deal_types t on t.id = r.type_id",
		"status": "left join statuses s on s.id = r.status_id",
	},
	keys: map[string]string{"name": "r.name_key"},
	list: listdef.Deals,
}

// embeddedDeal returns the deal joined as alias and shown under the path.
func embeddedDeal(path, alias string) map[string]string {
	return map[string]string{
		path + ".id":         alias + ".id",
		path + ".name":       alias + ".name",
		path + ".client_id":  alias + ".client_id",
		path + ".user":       alias + ".user_id",
		path + ".type_id":    alias + ".type_id",
		path + ".status_id":  alias + ".status_id",
		path + ".created_at": alias + ".created_at",
		path + ".updated_at": alias + ".updated_at",
	}
}

// embeddedClient returns the client joined as alias and shown under the path.
func embeddedClient(path, alias string) map[string]string {
	return map[string]string{
		path + ".id":    alias + ".id",
		path + ".name":  alias + ".name",
		path + ".type":  alias + ".type",
		path + ".email": alias + ".email",
		path + ".phone": alias + ".phone",
	}
}

// embeddedStatus returns the status joined as alias and shown under the path.
func embeddedStatus(path, alias string) map[string]string {
	return map[string]string{
		path + ".id":      alias + ".id",
		path + ".name":    alias + ".name",
		path + ".default": alias + ".is_default",
		path + ".color":   alias + ".color",
	}
}

// embeddedLabel returns the type joined as alias and shown under the path.
func embeddedLabel(path, alias string) map[string]string {
	return map[string]string{
		path + ".id":   alias + ".id",
		path + ".name": alias + ".name",
	}
}

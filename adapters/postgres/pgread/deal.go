package pgread

import (
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewDeals returns the reader of deals.
func NewDeals(db Querier) readmodel.Reader[readmodel.DealFilter] {
	type asked = readmodel.DealFilter
	return newReader(db, deals,
		anyOf("client_id", func(f asked) []client.ID { return f.ClientIDs }).few(),
		anyOf("user_id", func(f asked) []user.ID { return f.UserIDs }),
		anyOf("status_id", func(f asked) []catalog.StatusID { return f.StatusIDs }),
		anyOf("type_id", func(f asked) []catalog.DealTypeID { return f.TypeIDs }),
		containing(listdef.Deals, "name", func(f asked) string { return f.Name }),
		withRef(func(f asked) string { return f.Ref }),
		updatedSince("updated_at", func(f asked) readmodel.Instant { return f.UpdatedSince }),
		withID(func(f asked) []deal.ID { return f.IDs }),
	)
}

var deals = mapped(mapping{
	resource: readmodel.Deals,
	table:    "deals",
	columns:  map[string]string{"user": "r.user_id", "status.default": "s.is_default"},
	joins: map[string]join{
		"client.": {"c", "left join clients c on c.id = r.client_id"},
		"user.":   {"u", "left join users u on u.id = r.user_id"},
		"type.":   {"t", "left join deal_types t on t.id = r.type_id"},
		"status.": {"s", "left join statuses s on s.id = r.status_id"},
	},
	indexed: []string{"name", "updated_at"},
	list:    listdef.Deals,
})

package pgread

import (
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewClients returns the reader of clients.
func NewClients(db Querier) readmodel.Reader[readmodel.ClientFilter] {
	type asked = readmodel.ClientFilter
	return newReader(db, clients,
		anyOf("user_id", func(f asked) []user.ID { return f.UserIDs }).sortedBy("name"),
		equal("type", func(f asked) domain.Optional[client.Type] { return f.Type }),
		containing(listdef.Clients, "name", func(f asked) string { return f.Name }),
		containing(listdef.Clients, "search", func(f asked) string { return f.Search }),
		filter[asked]{
			condition{name: "email", where: "r.email_key = ?", selective: true},
			func(f asked) []any { return key(f.Email) },
		},
		withRef(func(f asked) string { return f.Ref }),
		updatedSince("updated_at", func(f asked) readmodel.Instant { return f.UpdatedSince }),
		withID(func(f asked) []client.ID { return f.IDs }),
	)
}

var clients = mapped(mapping{
	resource: readmodel.Clients,
	table:    "clients",
	columns: map[string]string{
		"user":            "r.user_id",
		"count_deals":     countOf("deals"),
		"count_offers":    countOf("offers"),
		"count_contracts": countOf("contracts"),
		"count_invoices":  countOf("invoices"),
	},
	joins: map[string]join{
		"user.":           {"u", "left join users u on u.id = r.user_id"},
		"count_deals":     recentCounts,
		"count_offers":    recentCounts,
		"count_contracts": recentCounts,
		"count_invoices":  recentCounts,
	},
	indexed: []string{"name", "updated_at"},
	list:    listdef.Clients,
})

// countOf returns the number of records of a list that a client has: the stored count, and
// the changes that are not folded into it.
func countOf(list string) string {
	return "(coalesce(k." + list + ", 0) + coalesce(recent." + list + ", 0))"
}

// recentCounts joins the counts of the clients with the changes that are not folded
// into them. These are summed once for all rows.
var recentCounts = joinRecentCounts(listdef.CountedByClient())

func joinRecentCounts(lists []*listdef.List) join {
	sums, changes := make([]string, len(lists)), make([]string, len(lists))
	for i, l := range lists {
		kind := strconv.Itoa(i + 1)
		sums[i] = "sum(c.delta) filter (where c.kind = " + kind + ") as " + l.ClientCount
		changes[i] = "select " + kind + " as kind, t.client_id, t.delta from " + l.Changes + " t" +
			" where t.batch_id >= (select m.oldest_open_batch from read_model_state m where m.id = 1)"
	}
	return join{sql: "left join " + listdef.ClientCounts + " k on k.client_id = r.id" +
		" left join (select c.client_id, " + strings.Join(sums, ", ") +
		" from (" + strings.Join(changes, " union all ") + ") c group by c.client_id) recent on recent.client_id = r.id"}
}

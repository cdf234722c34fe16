package pgread

import (
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewClients makes the reader of clients.
func NewClients(db Querier) readmodel.Reader[readmodel.ClientFilter] {
	type filter = readmodel.ClientFilter
	name := search{table: "client_search", ref: "id", key: "name_key"}
	return newReader(db, clients,
		equal("user_id", func(f filter) optional.Of[user.ID] { return f.UserID }).in("user_id").sortedBy("name", "id", "user"),
		equal("type", func(f filter) optional.Of[client.Type] { return f.Type }).sortedBy("id", "type"),
		containing(name, func(f filter) string { return f.Name }),
		containing(name, func(f filter) string { return f.Search }),
		matching("email_key", func(f filter) string { return f.Email }),
	)
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
	tallied: map[string]string{
		"count_deals":     countOf("deals"),
		"count_offers":    countOf("offers"),
		"count_contracts": countOf("contracts"),
		"count_invoices":  countOf("invoices"),
	},
	joins: map[string]string{
		"user":            "left join users u on u.id = r.user_id",
		"count_deals":     recentCounts,
		"count_offers":    recentCounts,
		"count_contracts": recentCounts,
		"count_invoices":  recentCounts,
	},
	keys: map[string]string{
		"name":         "r.name_key",
		"email":        "r.email_key",
		"phone":        "r.phone_key",
		"real_address": "r.real_address_key",
		"description":  "r.description_key",
	},
	long:    []string{"real_address", "description"},
	created: "created_at",
	total: &total{
		table: "client_totals", measure: "t.record_count", cubes: []string{"user_id"},
		changes: "client_changes", weight: "t.delta", moves: "client_changes",
	},
}

// countOf is how many records of a kind a client has: those that are counted,
// and the changes that are not yet.
func countOf(kind string) string {
	return "(coalesce(k." + kind + ", 0) + coalesce(recent." + kind + ", 0))"
}

// recentCounts joins the counts of the clients with what is not folded into
// them. That is added up once for all rows.
const recentCounts = `left join client_counts k on k.client_id = r.id
left join (
    select
        c.client_id,
        sum(c.delta) filter (where c.kind = 1) as deals,
        sum(c.delta) filter (where c.kind = 2) as offers,
        sum(c.delta) filter (where c.kind = 3) as contracts,
        sum(c.delta) filter (where c.kind = 4) as invoices
    from (
        select 1 as kind, d.client_id, d.delta from deal_changes d where d.batch_id >= (select m.oldest_open_batch from read_model_state m where m.id = 1)
        union all
        select 2, o.client_id, o.delta from offer_changes o where o.batch_id >= (select m.oldest_open_batch from read_model_state m where m.id = 1)
        union all
        select 3, p.client_id, p.delta from contract_changes p where p.batch_id >= (select m.oldest_open_batch from read_model_state m where m.id = 1)
        union all
        select 4, i.client_id, i.delta from invoice_changes i where i.batch_id >= (select m.oldest_open_batch from read_model_state m where m.id = 1)
    ) c
    group by c.client_id
) recent on recent.client_id = r.id`

package pgread

import (
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewOffers makes the reader of offers.
func NewOffers(db Querier) readmodel.Reader[readmodel.DocumentFilter] {
	return newDocuments(db, readmodel.Offers, "offers", "offer")
}

// NewContracts makes the reader of contracts.
func NewContracts(db Querier) readmodel.Reader[readmodel.DocumentFilter] {
	return newDocuments(db, readmodel.Contracts, "contracts", "contract")
}

func newDocuments(db Querier, resource *readmodel.Resource, table, kind string) readmodel.Reader[readmodel.DocumentFilter] {
	type filter = readmodel.DocumentFilter
	client := equal("client_id", func(f filter) optional.Of[client.ID] { return f.ClientID }).countedBy(table)
	client.column, client.where = "", "r.deal_id in (select d.id from deals d where d.client_id = ?)"
	return newReader(db, documents(resource, table, kind),
		equal("deal_id", func(f filter) optional.Of[deal.ID] { return f.DealID }).untallied(),
		client,
		containing(search{table: kind + "_search", ref: "id", key: "number_key"}, func(f filter) string { return f.Number }),
	)
}

// documents is how one kind of a deal's papers is read.
func documents(resource *readmodel.Resource, table, kind string) *model {
	return &model{
		resource: resource,
		table:    table,
		columns: map[string]string{
			"id":         "r.id",
			"version":    "r.version",
			"deal_id":    "r.deal_id",
			"number":     "r.number",
			"date":       "r.date",
			"notice":     "r.notice",
			"created_on": "r.created_on",
		},
		keys: map[string]string{
			"number": "r.number_key",
			"notice": "r.notice_key",
		},
		long:    []string{"notice"},
		created: "created_on",
		total: &total{
			table: "page_index", measure: "t.record_count", fixed: "t.list = '" + table + "'",
			changes: kind + "_changes", weight: "t.delta", moves: kind + "_changes",
		},
	}
}

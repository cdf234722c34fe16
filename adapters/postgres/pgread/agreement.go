package pgread

import (
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewOffers returns the reader of offers.
func NewOffers(db Querier) readmodel.Reader[readmodel.AgreementFilter] {
	return newAgreements(db, offers)
}

// NewContracts returns the reader of contracts.
func NewContracts(db Querier) readmodel.Reader[readmodel.AgreementFilter] {
	return newAgreements(db, contracts)
}

func newAgreements(db Querier, m *mapping) readmodel.Reader[readmodel.AgreementFilter] {
	type asked = readmodel.AgreementFilter
	client := anyOf("client_id", func(f asked) []client.ID { return f.ClientIDs }).few()
	client.where = "r.deal_id in (select d.id from deals d where d.client_id = ?)"
	client.several.where, client.several.runs = "r.deal_id in (select d.id from deals d where d.client_id = any(?))", nil
	return newReader(db, m,
		equal("deal_id", func(f asked) domain.Optional[deal.ID] { return f.DealID }).few(),
		client,
		containing(m.list, "number", func(f asked) string { return f.Number }),
		updatedSince("updated_at", func(f asked) readmodel.Instant { return f.UpdatedSince }),
		withID(func(f asked) []int64 { return f.IDs }),
	)
}

var (
	offers    = agreements(readmodel.Offers, listdef.Offers)
	contracts = agreements(readmodel.Contracts, listdef.Contracts)
)

func agreements(resource *readmodel.Resource, list *listdef.List) *mapping {
	return mapped(mapping{
		resource: resource,
		table:    list.Table,
		indexed:  []string{"number", "date"},
		list:     list,
	})
}

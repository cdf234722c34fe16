package pgread

import (
	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewOffers makes the reader of offers.
func NewOffers(db Querier) readmodel.Reader[readmodel.DocumentFilter] {
	return newReader(db, documents(readmodel.Offers, "offers"), ofDocument)
}

// NewContracts makes the reader of contracts.
func NewContracts(db Querier) readmodel.Reader[readmodel.DocumentFilter] {
	return newReader(db, documents(readmodel.Contracts, "contracts"), ofDocument)
}

// documents is how one kind of a deal's papers is read.
func documents(resource *readmodel.Resource, table string) *model {
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
	}
}

func ofDocument(f readmodel.DocumentFilter) sq.And {
	and := equals(sq.And{}, "r.deal_id", f.DealID)
	and = ofClientsDeals(and, f.ClientID)
	return contains(and, "r.number_key", f.Number)
}

// ofClientsDeals narrows to the rows whose deal is one of the client's.
func ofClientsDeals(and sq.And, id optional.Of[client.ID]) sq.And {
	of, ok := id.Get()
	if !ok {
		return and
	}
	return append(and, sq.Expr("r.deal_id in (select d.id from deals d where d.client_id = ?)", int64(of)))
}

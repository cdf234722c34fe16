package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewPerformerParties returns the reader of the parties of performers.
func NewPerformerParties(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, performerParties)
}

// NewClientParties returns the reader of the parties of clients.
func NewClientParties(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, clientParties)
}

var (
	performerParties = parties(readmodel.PerformerParties, "performer_id")
	clientParties    = parties(readmodel.ClientParties, "client_id")
)

// parties maps the parties of the records that the column refers to.
func parties(resource *readmodel.Resource, owner string) *mapping {
	return mapped(mapping{
		resource: resource, table: "parties", idColumn: owner, columns: map[string]string{"id": "r." + owner},
		nested: map[string]nested{"terms.notes": notesOfTerms},
	})
}

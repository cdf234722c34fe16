package readmodel

import (
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
)

// AgreementFilter filters a list of offers or contracts. Absent criteria match every
// agreement; several ids match any of them.
type AgreementFilter struct {
	IDs       []int64
	DealID    domain.Optional[deal.ID]
	ClientIDs []client.ID // the deal's
	Number    string      // substring of the number, ignoring case

	UpdatedSince Instant
}

// Offers has the attributes of offers.
var Offers = agreements("offer")

// Contracts has the attributes of contracts.
var Contracts = agreements("contract")

func agreements(resource string) *Resource {
	return &Resource{
		Name:        resource,
		DefaultSort: "created_on",
		PerPage:     20,
		Attributes: []Attribute{
			{Name: "id", Kind: ID, Sort: Ascending},
			{Name: "deal_id", Kind: ID, Refers: "deal", Sort: Ascending},
			{Name: "number", Kind: Text, Sort: Ascending},
			{Name: "date", Kind: Time, Sort: Ascending, Optional: true},
			{Name: "notice", Kind: Text, Optional: true},
			{Name: "created_on", Kind: Time, Sort: NewestFirst},
		},
	}
}

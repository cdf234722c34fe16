package pgstore

import (
	"github.com/kontor-crm/kontor/domain/agreement"
)

// keepDeal locks a deal against deletion and a change of its client until the end of
// the unit of work.
const keepDeal = "select id from deals where id = $1 for key share"

var (
	offers    = agreements[agreement.OfferID]("offers", "offer")
	contracts = agreements[agreement.ContractID]("contracts", "contract")
)

// agreements are locked without the key of the row: a writer that deletes the deal has
// locked it, checks its agreements, and must not wait for a writer of one of them that in
// turn waits for the deal. For the same reason a deletion locks the deal before the row.
func agreements[ID agreement.Identifier](name, what string) *table[ID, *agreement.Agreement[ID], agreement.State[ID]] {
	return kept(name, table[ID, *agreement.Agreement[ID], agreement.State[ID]]{
		what: what, restore: agreement.Restore[ID], same: agreement.Same[ID],
		key:      func(s *agreement.State[ID]) (*ID, *int64) { return &s.ID, &s.Version },
		removing: func(u *unit, s agreement.State[ID]) { u.Lock(keepDeal, s.DealID) },
	}, func(c *columns, s *agreement.State[ID]) {
		value(c, "deal_id", &s.DealID)
		title(c, "number", &s.Number)
		optionalTime(c, "date", &s.Date)
		text(c, "notice", &s.Notice)
		value(c, "created_on", &s.CreatedOn)
		touched(c, "updated_at")
	})
}

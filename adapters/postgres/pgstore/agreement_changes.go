package pgstore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/ports/repository"
)

// An offer or a contract is counted for the client of its deal, which it does not name
// itself. If the unit of work has not changed the deal, the statement looks the client
// up, and locks the key of the deal: a deal cannot change its client while a change of
// one of its agreements is being recorded.

type listedAgreements struct {
	listed[derive.AgreementEntry]
	move string // records that the agreements of a deal go to another client
}

var (
	listedOffers    = newListedAgreements(listdef.Offers)
	listedContracts = newListedAgreements(listdef.Contracts)
)

func newListedAgreements(l *listdef.List) listedAgreements {
	column := listdef.Column{Name: "deal_id", Type: "bigint"} // a parameter that is not stored
	params := slices.Concat(l.Columns, []listdef.Column{column})
	insert := func(rows string, count int) string {
		deals := make([]string, count)
		for i := range deals {
			deals[i] = fmt.Sprintf("$%d", (i+1)*len(params))
		}
		return insertChanges(l, []string{"coalesce(d.client_id, v.client_id)"}, rows) + `
left join (
    select id, client_id
    from deals
    where id in (` + strings.Join(deals, ", ") + `)
    order by id
    for key share
) d on d.id = v.deal_id`
	}
	return listedAgreements{
		listed: listed[derive.AgreementEntry]{
			changes: changeStatements(params, insert), search: searchIn(l), fields: checked(params, func(e derive.AgreementEntry) []field {
				return []field{{"client_id", reference(e.ClientID)}, {"deal_id", reference(e.DealID)}}
			}),
		},
		move: insertChanges(l, []string{"v.client_id"}, l.Table+` r
cross join (values (-1, $2::bigint), (1, $3::bigint)) v (delta, client_id)`) + `
where r.deal_id = $1 and r.id <> all($4::bigint[])`,
	}
}

// storeAgreements queues the rows of the agreements that have changed, and of those whose
// deals have gone to another client. It has to follow the rows of the deals: these have
// locked a batch, and no later batch is folded before that one. So a move that stores no
// row is one of a deal without agreements, and not one that waited for a folded batch.
func storeAgreements(w *Writer, c derive.ListChanges) {
	store(w, listedOffers.listed, c.Offers)
	store(w, listedContracts.listed, c.Contracts)
	for _, m := range c.Moves {
		w.Store(listedOffers.move, m.DealID, reference(m.From), reference(m.To), remaining(c.Offers))
		w.Store(listedContracts.move, m.DealID, reference(m.From), reference(m.To), remaining(c.Contracts))
	}
}

// remaining are the ids of the changed agreements that still exist: they have rows of
// their own.
func remaining(changes []repository.Change[derive.AgreementEntry]) []int64 {
	ids := make([]int64, 0, len(changes))
	for _, c := range changes {
		if c.After != nil {
			ids = append(ids, c.After.ID)
		}
	}
	return ids
}

package pgstore

import (
	"time"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/ports/repository"
)

// An offer or a contract is counted for the client of its deal, which it does
// not name itself. Of a deal that this unit of work has not changed, the database
// says whose it is, and locks it so that it stays so: a deal cannot change its
// client while a change of one of its papers is on its way.

// papers are the statements of one kind of a deal's papers.
type papers struct {
	changes changeSQL
	follow  string // the papers of a deal go with it to another client
}

var (
	offerPapers    = papersIn("offers", "offer_changes")
	contractPapers = papersIn("contracts", "contract_changes")
)

func papersIn(table, changes string) papers {
	const added, removed = "(1, $1::bigint, $2::timestamptz, $3::text, $4::bigint, $5::bigint)",
		"(-1, $1::bigint, $2::timestamptz, $3::text, $4::bigint, $5::bigint)"
	statement := func(rows, deals string) string {
		return `
insert into ` + changes + ` (batch_id, writer_version, delta, id, created_at, text_key, client_id)
select b.id, ` + writerVersion + `, v.delta, v.id, v.created_at, v.text_key, coalesce(d.client_id, v.client_id)
from ` + newestBatch + `
cross join (values ` + rows + `) v (delta, id, created_at, text_key, deal_id, client_id)
left join (
    select id, client_id
    from deals
    where id in (` + deals + `)
    order by id
    for key share
) d on d.id = v.deal_id`
	}
	return papers{
		changes: changeSQL{
			added:   statement(added, "$4"),
			removed: statement(removed, "$4"),
			changed: statement(removed+", (1, $6::bigint, $7::timestamptz, $8::text, $9::bigint, $10::bigint)", "$4, $9"),
		},
		follow: `
insert into ` + changes + ` (batch_id, writer_version, delta, id, created_at, text_key, client_id)
select b.id, ` + writerVersion + `, v.delta, p.id, p.created_on, p.number_key, v.client_id
from ` + newestBatch + `
cross join ` + table + ` p
cross join (values (-1, $2::bigint), (1, $3::bigint)) v (delta, client_id)
where p.deal_id = $1 and p.id <> all($4::bigint[])`,
	}
}

// paperImage names the client if this unit of work has it, or else the deal.
type paperImage struct {
	id       int64
	created  time.Time
	text     string
	dealID   deal.ID
	clientID client.ID
}

func (i paperImage) row() []any {
	return []any{i.id, i.created, i.text, reference(i.dealID), reference(i.clientID)}
}

// dealsClients are the clients of the deals that a unit of work has changed.
type dealsClients map[deal.ID]client.ID

func paperImageOf[ID document.Identifier](s document.State[ID], known dealsClients) paperImage {
	i := paperImage{id: int64(s.ID), created: s.CreatedOn, text: textkey.Of(s.Number), dealID: s.DealID}
	if of, ok := known[s.DealID]; ok {
		i.dealID, i.clientID = 0, of
	}
	return i
}

// notePapers queues the rows of the papers that have changed, and of those whose
// deals have gone to another client. It comes behind the rows of the deals: the
// batch that these are noted in holds back all that follow, so that a deal
// without papers, of which no row is stored, is no sign of a batch gone by.
func notePapers(w *Writer, changes repository.Changes, ofDeals []repository.Change[deal.State]) {
	was, is := dealsClients{}, dealsClients{}
	for _, c := range ofDeals {
		if c.Before != nil {
			was[c.Before.ID] = c.Before.ClientID
		}
		if c.After != nil {
			is[c.After.ID] = c.After.ClientID
		}
	}
	offers, contracts := net(changes.Offers, documentKey[document.OfferID]), net(changes.Contracts, documentKey[document.ContractID])
	noteOfKind(w, offerPapers, offers, was, is)
	noteOfKind(w, contractPapers, contracts, was, is)
	for _, c := range ofDeals {
		if c.Before != nil && c.After != nil && c.Before.ClientID != c.After.ClientID {
			move(w, offerPapers.follow, c, offers)
			move(w, contractPapers.follow, c, contracts)
		}
	}
}

func noteOfKind[ID document.Identifier](
	w *Writer, kind papers, changes []repository.Change[document.State[ID]], was, is dealsClients,
) {
	for _, c := range changes {
		switch {
		case c.Before == nil:
			w.Derive(kind.changes.added, paperImageOf(*c.After, is).row()...)
		case c.After == nil:
			w.Derive(kind.changes.removed, paperImageOf(*c.Before, was).row()...)
		default:
			before, after := paperImageOf(*c.Before, was), paperImageOf(*c.After, is)
			if before != after {
				w.Derive(kind.changes.changed, append(before.row(), after.row()...)...)
			}
		}
	}
}

// move queues the rows of a deal's papers but for those that have rows of their
// own.
func move[ID document.Identifier](
	w *Writer, sql string, d repository.Change[deal.State], noted []repository.Change[document.State[ID]],
) {
	ids := make([]int64, 0, len(noted))
	for _, c := range noted {
		if c.After != nil {
			ids = append(ids, int64(c.After.ID))
		}
	}
	w.Store(sql, d.After.ID, reference(d.Before.ClientID), reference(d.After.ClientID), ids)
}

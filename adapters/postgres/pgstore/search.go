package pgstore

import (
	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

// SearchTexts is the projection that keeps the texts by which lists are searched:
// for each client, deal, offer, contract and invoice one row with the key of its
// name or number, written only when that differs from before.
//
// A table whose rows are still being made may lack that of an older record; a
// change of that record then leaves it to be made from the record itself.
type SearchTexts struct{}

// Project queues the rows.
func (SearchTexts) Project(_ repository.Meta, changes repository.Changes, w *Writer) {
	keepText(w, clientTexts, net(changes.Clients, clientKey), func(s client.State) text { return text{int64(s.ID), s.Name} })
	keepText(w, dealTexts, net(changes.Deals, dealKey), func(s deal.State) text { return text{int64(s.ID), s.Name} })
	keepText(w, offerTexts, net(changes.Offers, documentKey[document.OfferID]), paperText[document.OfferID])
	keepText(w, contractTexts, net(changes.Contracts, documentKey[document.ContractID]), paperText[document.ContractID])
	keepText(w, invoiceTexts, net(changes.Invoices, invoiceKey), func(s invoice.State) text { return text{int64(s.ID), s.Number} })
}

// text is what a record is found by.
type text struct {
	id    int64
	shown string
}

func paperText[ID document.Identifier](s document.State[ID]) text { return text{int64(s.ID), s.Number} }

// textSQL is the statements of one table of texts.
type textSQL struct {
	add, change, remove string
}

var (
	clientTexts   = textsIn("client_search")
	dealTexts     = textsIn("deal_search")
	offerTexts    = textsIn("offer_search")
	contractTexts = textsIn("contract_search")
	invoiceTexts  = textsIn("invoice_search")
)

func textsIn(table string) textSQL {
	return textSQL{
		add:    "insert into " + table + " (id, text_key) values ($1, $2)",
		change: "update " + table + " set text_key = $2 where id = $1",
		remove: "delete from " + table + " where id = $1",
	}
}

func keepText[S any](w *Writer, table textSQL, changes []repository.Change[S], of func(S) text) {
	for _, c := range changes {
		switch {
		case c.Before == nil:
			added := of(*c.After)
			w.Store(table.add, added.id, textkey.Of(added.shown))
		case c.After == nil:
			w.Remove(table.remove, of(*c.Before).id)
		default:
			after := of(*c.After)
			if key := textkey.Of(after.shown); key != textkey.Of(of(*c.Before).shown) {
				w.Store(table.change, after.id, key)
			}
		}
	}
}

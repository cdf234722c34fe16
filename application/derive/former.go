package derive

import (
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Changed are the ids of the changed records, of the kinds that facts are about.
type Changed struct {
	Deals     []deal.ID
	Offers    []document.OfferID
	Contracts []document.ContractID
	Invoices  []invoice.ID
}

// ChangedBy returns the ids of the changed records, each once.
func ChangedBy(c repository.Changes) Changed {
	return Changed{
		Deals:     changedIDs(c.Deals, func(s deal.State) deal.ID { return s.ID }),
		Offers:    changedIDs(c.Offers, func(s document.State[document.OfferID]) document.OfferID { return s.ID }),
		Contracts: changedIDs(c.Contracts, func(s document.State[document.ContractID]) document.ContractID { return s.ID }),
		Invoices:  changedIDs(c.Invoices, func(s invoice.State) invoice.ID { return s.ID }),
	}
}

// Former returns the answer to a question for the changed records only, as they were before the
// changes. WithFormer adds it to the answer for all other records. It does not support
// LinesOfInvoice.
func Former(q repository.Question, c repository.Changes) (a repository.Answer) {
	switch q.Kind {
	case repository.UnpaidInvoicesOfClient:
		for _, s := range formerInvoices(c) {
			if int64(s.ClientID) == q.ID && s.Status == invoice.NotPaid {
				a = WithFormer(a, repository.Answer{Count: 1, Sum: s.PayPrice, Oldest: s.Date})
			}
		}
	case repository.DealsOfClient:
		a.ByStatus = formerDeals(c, func(s deal.State) bool { return int64(s.ClientID) == q.ID })
	case repository.DealsOfUser:
		a.ByStatus = formerDeals(c, func(s deal.State) bool { return int64(s.UserID) == q.ID })
	case repository.InvoicesOfDeal:
		a.ByState = map[invoice.Status]int{}
		for _, s := range formerInvoices(c) {
			if int64(s.DealID) == q.ID {
				a.ByState[s.Status]++
			}
		}
	case repository.DocumentsOfDeal:
		a.Offers, a.Contracts = formerDocuments(c.Offers, q.ID), formerDocuments(c.Contracts, q.ID)
	case repository.NumberTaken:
		for _, s := range formerInvoices(c) {
			if int64(s.PerformerID) == q.ID && s.Number == q.Number && s.Date.Year() == q.Year && s.ID != q.Except {
				a.IsTaken = true
			}
		}
	}
	return a
}

// PresentDeals counts by status the changed deals of the user, as they are after the changes.
func PresentDeals(of int64, c repository.Changes) map[catalog.StatusID]int {
	last := map[deal.ID]deal.State{}
	for _, change := range c.Deals {
		if change.After == nil {
			delete(last, change.Before.ID)
			continue
		}
		last[change.After.ID] = *change.After
	}
	n := map[catalog.StatusID]int{}
	for _, s := range last {
		if int64(s.UserID) == of {
			n[s.StatusID]++
		}
	}
	return n
}

// WithFormer returns the sum of two answers for different records.
func WithFormer(a, former repository.Answer) repository.Answer {
	a.Count += former.Count
	a.Sum = a.Sum.Plus(former.Sum)
	if a.Oldest.IsZero() || !former.Oldest.IsZero() && former.Oldest.Before(a.Oldest) {
		a.Oldest = former.Oldest
	}
	a.ByStatus, a.ByState = sum(a.ByStatus, former.ByStatus), sum(a.ByState, former.ByState)
	a.Offers += former.Offers
	a.Contracts += former.Contracts
	a.IsTaken = a.IsTaken || former.IsTaken
	return a
}

func sum[ID comparable](a, b map[ID]int) map[ID]int {
	if a == nil {
		return b
	}
	for id, n := range b {
		a[id] += n
	}
	return a
}

func formerInvoices(c repository.Changes) []invoice.State {
	return former(c.Invoices, func(s invoice.State) invoice.ID { return s.ID })
}

func formerDeals(c repository.Changes, fits func(deal.State) bool) map[catalog.StatusID]int {
	n := map[catalog.StatusID]int{}
	for _, s := range former(c.Deals, func(s deal.State) deal.ID { return s.ID }) {
		if fits(s) {
			n[s.StatusID]++
		}
	}
	return n
}

func formerDocuments[ID document.Identifier](changes []repository.Change[document.State[ID]], of int64) (n int) {
	for _, s := range former(changes, func(s document.State[ID]) ID { return s.ID }) {
		if int64(s.DealID) == of {
			n++
		}
	}
	return n
}

// former returns the states of the records before the first of their changes; a new record has
// none.
func former[ID comparable, S any](changes []repository.Change[S], id func(S) ID) (all []S) {
	seen := map[ID]bool{}
	for _, c := range changes {
		of := idOf(c, id)
		if !seen[of] && c.Before != nil {
			all = append(all, *c.Before)
		}
		seen[of] = true
	}
	return all
}

func changedIDs[ID comparable, S any](changes []repository.Change[S], id func(S) ID) (all []ID) {
	seen := map[ID]bool{}
	for _, c := range changes {
		if of := idOf(c, id); !seen[of] {
			seen[of] = true
			all = append(all, of)
		}
	}
	return all
}

func idOf[ID, S any](c repository.Change[S], id func(S) ID) ID {
	if c.After != nil {
		return id(*c.After)
	}
	return id(*c.Before)
}

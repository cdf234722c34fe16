package derive

import (
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Subjects returns the subjects of these kinds whose answers the changes may alter, possibly with
// duplicates.
func Subjects(c repository.Changes, kinds repository.FactKinds) (all []repository.Question) {
	add := func(questions ...repository.Question) {
		for _, q := range questions {
			if kinds.Has(q.Kind) && q.ID != 0 {
				all = append(all, q)
			}
		}
	}
	for _, s := range states(c.Users) {
		add(repository.Question{Kind: repository.UserRecord, ID: int64(s.ID)})
	}
	for _, s := range states(c.Statuses) {
		add(repository.Question{Kind: repository.StatusRecord, ID: int64(s.ID)}, repository.AllStatuses)
	}
	for _, s := range states(c.Performers) {
		add(repository.Question{Kind: repository.PerformerRecord, ID: int64(s.ID)})
	}
	for _, s := range states(c.Clients) {
		add(repository.Question{Kind: repository.ClientRecord, ID: int64(s.ID)})
	}
	for _, o := range c.Parties {
		add(repository.Question{Kind: repository.PerformerRecord, ID: int64(o.Performer)},
			repository.Question{Kind: repository.ClientRecord, ID: int64(o.Client)})
	}
	for _, s := range states(c.Deals) {
		add(subjectsOfDeal(s)...)
	}
	for _, s := range states(c.Contacts) {
		add(subjectOfContact(s.Link))
	}
	// Contacts that are deleted or handed over together with their client or deal have no changes.
	for _, d := range c.Deals {
		if d.Before != nil && (d.After == nil || d.After.ClientID != d.Before.ClientID) {
			add(subjectOfContact(contact.ToDeal(d.Before.ID)))
			if d.After != nil {
				add(subjectOfContact(contact.ToClient(d.After.ClientID)))
			}
		}
	}
	for _, d := range c.Clients {
		if d.After == nil {
			add(subjectOfContact(contact.ToClient(d.Before.ID)))
		}
	}
	for _, s := range states(c.Offers) {
		add(subjectOfAgreement(s))
	}
	for _, s := range states(c.Contracts) {
		add(subjectOfAgreement(s))
	}
	for _, s := range states(c.Invoices) {
		add(subjectsOfInvoice(s)...)
	}
	return all
}

func states[S any](changes []repository.Change[S]) (all []S) {
	for _, c := range changes {
		if c.Before != nil {
			all = append(all, *c.Before)
		}
		if c.After != nil {
			all = append(all, *c.After)
		}
	}
	return all
}

func subjectsOfDeal(s deal.State) []repository.Question {
	return []repository.Question{
		{Kind: repository.DealRecord, ID: int64(s.ID)},
		{Kind: repository.DealsOfClient, ID: int64(s.ClientID)},
		{Kind: repository.DealsOfUser, ID: int64(s.UserID)},
	}
}

func subjectOfContact(link contact.Link) repository.Question {
	if id, ok := link.Client(); ok {
		return repository.Question{Kind: repository.ContactsOfClient, ID: int64(id)}
	}
	id, _ := link.Deal()
	return repository.Question{Kind: repository.ContactsOfDeal, ID: int64(id)}
}

func subjectOfAgreement[ID agreement.Identifier](s agreement.State[ID]) repository.Question {
	return repository.Question{Kind: repository.AgreementsOfDeal, ID: int64(s.DealID)}
}

func subjectsOfInvoice(s invoice.State) []repository.Question {
	return []repository.Question{
		{Kind: repository.UnpaidInvoicesOfClient, ID: int64(s.ClientID)},
		{Kind: repository.InvoicesOfDeal, ID: int64(s.DealID)},
		{Kind: repository.LinesOfInvoice, ID: int64(s.ID)},
		{Kind: repository.NumberTaken, ID: int64(s.PerformerID), Year: s.Date.Year()},
	}
}

package derive

import (
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Subject is what a question is about, and a change may alter the answer to.
type Subject struct {
	Kind   string // client, deal, user, number or invoice
	ID     int64
	Number string // of a number: within the performer of the id and the year
	Year   int
}

// SubjectOf is the subject of a question.
func SubjectOf(q repository.Question) Subject {
	switch q.Kind {
	case repository.UnpaidInvoicesOfClient, repository.DealsOfClient:
		return Subject{Kind: "client", ID: q.ID}
	case repository.DealsOfUser:
		return Subject{Kind: "user", ID: q.ID}
	case repository.InvoicesOfDeal, repository.DocumentsOfDeal:
		return Subject{Kind: "deal", ID: q.ID}
	case repository.NumberTaken:
		return Subject{Kind: "number", ID: q.ID, Number: q.Number, Year: q.Year}
	default: // LinesOfInvoice
		return Subject{Kind: "invoice", ID: q.ID}
	}
}

// Subjects are what the changes may alter the answers about. Some may be repeated.
func Subjects(c repository.Changes) []Subject {
	var all []Subject
	for _, s := range states(c.Deals) {
		all = append(all, subjectsOfDeal(s)...)
	}
	for _, s := range states(c.Offers) {
		all = append(all, subjectOfDocument(s))
	}
	for _, s := range states(c.Contracts) {
		all = append(all, subjectOfDocument(s))
	}
	for _, s := range states(c.Invoices) {
		all = append(all, subjectsOfInvoice(s)...)
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

func subjectsOfDeal(s deal.State) []Subject {
	return []Subject{{Kind: "client", ID: int64(s.ClientID)}, {Kind: "user", ID: int64(s.UserID)}}
}

func subjectOfDocument[ID document.Identifier](s document.State[ID]) Subject {
	return Subject{Kind: "deal", ID: int64(s.DealID)}
}

func subjectsOfInvoice(s invoice.State) []Subject {
	return []Subject{
		{Kind: "client", ID: int64(s.ClientID)},
		{Kind: "deal", ID: int64(s.DealID)},
		{Kind: "invoice", ID: int64(s.ID)},
		{Kind: "number", ID: int64(s.PerformerID), Number: s.Number, Year: s.Date.Year()},
	}
}

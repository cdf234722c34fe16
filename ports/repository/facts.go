package repository

import (
	"context"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
)

// FactKind is what a question asks. The zero value is invalid.
type FactKind uint8

// The kinds of facts.
const (
	UnpaidInvoicesOfClient FactKind = iota + 1 // Answer.Count, Sum, Oldest
	DealsOfClient                              // Answer.ByStatus
	DealsOfUser                                // Answer.ByStatus: of the deals that the user is responsible for
	InvoicesOfDeal                             // Answer.ByState
	DocumentsOfDeal                            // Answer.Offers, Contracts
	NumberTaken                                // Answer.Count: of the performer's invoices with the number and a date in the year
	LinesOfInvoice                             // Answer.Lines
)

// Question asks for one fact about the records as the unit of work has left them so far.
type Question struct {
	Kind   FactKind
	ID     int64      // of the client, user, deal, performer or invoice
	Number string     // of NumberTaken
	Year   int        // of NumberTaken
	Except invoice.ID // of NumberTaken: an invoice that is not counted
}

// IsStorable reports whether an invoice can have the number and a date in the year of
// NumberTaken. An expression may ask for any.
func (q Question) IsStorable() bool {
	return q.Year > 0 && q.Year < 10_000 && !strings.Contains(q.Number, "\x00")
}

// Answer is a fact: the fields that FactKind names.
type Answer struct {
	Count             int
	Sum               money.Amount // of the amounts to pay
	Oldest            time.Time    // date, as package civil has it; zero if there is none
	ByStatus          map[catalog.StatusID]int
	ByState           map[invoice.Status]int
	Offers, Contracts int
	Lines             []invoice.Line // by id
}

// Facts answers what rules ask.
//
// Chose: locks on the subject of a question, exclusive for the one who asks and shared for
// those who change what it is about. Because: an answer must stay true until the commit, and
// there may be no row to lock, as for a number that is not taken. Costs: writers of one
// subject, such as a client, wait for each other while a rule asks about it.
type Facts interface {
	// Answer answers the questions in their order, in one round trip; none in no
	// round trip. An id that does not exist has the zero Answer.
	Answer(ctx context.Context, questions []Question) ([]Answer, error)
	// AnswerLocked is Answer, and keeps every other writer that protects facts from
	// changing an answer until the end of the unit of work.
	AnswerLocked(ctx context.Context, questions []Question) ([]Answer, error)
	// Protect makes the unit of work wait, before it commits, for others that have asked
	// about what it changes.
	Protect()
}

package repository

import (
	"context"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
)

// FactKind is the kind of a question. The zero value is invalid.
type FactKind uint8

// The kinds of facts.
const (
	UnpaidInvoicesOfClient FactKind = iota + 1 // Answer.Count, Sum, Oldest
	DealsOfClient                              // Answer.ByStatus
	DealsOfUser                                // Answer.ByStatus: of the deals that the user is responsible for
	InvoicesOfDeal                             // Answer.ByState
	DocumentsOfDeal                            // Answer.Offers, Contracts
	NumberTaken                                // Answer.IsTaken: by an invoice of the performer with a date in the year
	LinesOfInvoice                             // Answer.Lines
)

// FactKinds is a set of kinds.
type FactKinds uint16

// AllFacts is the set of all kinds.
const AllFacts FactKinds = 1<<(LinesOfInvoice+1) - 2

// FactsOf returns the set of the kinds.
func FactsOf(kinds ...FactKind) (set FactKinds) {
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// Has reports whether the kind is in the set.
func (s FactKinds) Has(k FactKind) bool { return s&(1<<k) != 0 }

// Question asks for one fact about the records, including what the unit of work has changed so
// far.
type Question struct {
	Kind   FactKind
	ID     int64      // of the client, user, deal, performer or invoice
	Number string     // of NumberTaken
	Year   int        // of NumberTaken
	Except invoice.ID // of NumberTaken: an invoice that may have the number
}

// IsStorable reports whether an invoice can have the year and the number of a NumberTaken
// question. Expressions may ask for any.
func (q Question) IsStorable() bool {
	return q.Year > 0 && q.Year < 10_000 && !strings.Contains(q.Number, "\x00")
}

// Subject returns the subject of the question. The same changes may alter the answers to all
// questions with one subject.
func (q Question) Subject() Question {
	q.Except = 0
	return q
}

// Answer is the answer to a question: FactKind names the fields that are set.
type Answer struct {
	Count             int
	Sum               money.Amount // of the amounts to pay
	Oldest            time.Time    // date, as package civil has it; zero if there is none
	ByStatus          map[catalog.StatusID]int
	ByState           map[invoice.Status]int
	Offers, Contracts int
	IsTaken           bool
	Lines             []invoice.Line // by id
}

// Facts answers the questions of rules.
//
// Chose: locks on the subjects of questions instead of on rows. Because: an answer must stay
// true until the commit, and there may be no row to lock, as for a number that is not taken.
// Costs: a write that changes an answer waits for the writes that have asked for it, and the
// reverse.
type Facts interface {
	// Answer returns the answers in the order of the questions, in one round trip; without
	// questions, in none. The answer for an id that does not exist is the zero Answer.
	Answer(ctx context.Context, questions []Question) ([]Answer, error)
	// AnswerLocked is like Answer, but also locks the answers: until the end of the unit of
	// work, other writes that would change them wait, if they call Protect.
	AnswerLocked(ctx context.Context, questions []Question) ([]Answer, error)
	// Protect makes the unit of work wait before its commit for others that have locked answers
	// of these kinds that it changes.
	Protect(kinds FactKinds)
}

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

// FactKinds is a set of kinds.
type FactKinds uint16

// AllFacts is all kinds.
const AllFacts FactKinds = 1<<(LinesOfInvoice+1) - 2

// FactsOf is the set of the kinds.
func FactsOf(kinds ...FactKind) (set FactKinds) {
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// Has reports whether the kind is in the set.
func (s FactKinds) Has(k FactKind) bool { return s&(1<<k) != 0 }

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
// Chose: locks on what is asked instead of on rows. Because: an answer must stay true until the
// commit, and there may be no row to lock, as for a number that is not taken. Costs: writers
// wait for each other while one has asked what the other one changes.
//
// Chose: a rule that is a pure function of its facts asks by Defer, at the end of the unit of
// work. Because: that is no round trip more, and the locks last for the last round trip and the
// commit only. Costs: a write that is rejected has to be judged once more, so that all that is
// to be said against it comes together; see package command.
type Facts interface {
	// Answer answers the questions in their order, in one round trip; none in no
	// round trip. An id that does not exist has the zero Answer.
	Answer(ctx context.Context, questions []Question) ([]Answer, error)
	// AnswerLocked is Answer, and keeps every other writer that protects facts from
	// changing an answer until the end of the unit of work.
	AnswerLocked(ctx context.Context, questions []Question) ([]Answer, error)
	// Defer has a judgement made before the end of the unit of work, at the latest in its last
	// round trip, or at once. An error of the judgement fails the unit of work.
	Defer(ctx context.Context, d Deferred) error
	// Protect makes the unit of work wait, before it commits, for others that have asked
	// questions of these kinds about what it changes.
	Protect(kinds FactKinds)
}

// Deferred is a judgement that needs answers.
type Deferred struct {
	Questions []Question // at least one; none of LinesOfInvoice
	// Judge gets the answers, in the order of the questions: those of AnswerLocked, but without
	// what the unit of work has changed since the call of Defer. It may return further
	// questions, whose answers it then gets.
	Judge func(ctx context.Context, answers []Answer) (further []Question, err error)
}

// AtOnce are the facts, with judgements that are not deferred.
func AtOnce(f Facts) Facts { return atOnce{f} }

type atOnce struct{ Facts }

// Defer makes the judgement.
func (a atOnce) Defer(ctx context.Context, d Deferred) error {
	for questions := d.Questions; len(questions) > 0; {
		answers, err := a.AnswerLocked(ctx, questions)
		if err != nil {
			return err
		}
		if questions, err = d.Judge(ctx, answers); err != nil {
			return err
		}
	}
	return nil
}

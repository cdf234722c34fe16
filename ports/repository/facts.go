package repository

import (
	"context"
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/text"
)

// FactKind is the kind of a question. The zero value is invalid.
type FactKind uint8

// The kinds of facts.
const (
	UnpaidInvoicesOfClient FactKind = iota + 1 // Answer.Count, Sum, Oldest
	DealsOfClient                              // Answer.ByStatus
	DealsOfUser                                // Answer.ByStatus: of the deals that the user is responsible for
	InvoicesOfDeal                             // Answer.ByState, Issued
	AgreementsOfDeal                           // Answer.Offers, Contracts
	NumberTaken                                // Answer.IsTaken: by an invoice of the performer with a date in the year
	LinesOfInvoice                             // Answer.Lines
	ContactsOfClient                           // Answer.Contacts
	ContactsOfDeal                             // Answer.Contacts: those linked to the deal itself
	ClientRecord                               // Answer.Record, Party
	DealRecord                                 // Answer.Record
	StatusRecord                               // Answer.Record
	PerformerRecord                            // Answer.Record, Party
	UserRecord                                 // Answer.Record
	StatusList                                 // Answer.Statuses: all of them
)

// IsRecord reports whether the answer is the one record with the id, or the list of statuses: others who ask share the lock.
func (k FactKind) IsRecord() bool { return k >= ClientRecord }

// FactKinds is a set of kinds.
type FactKinds uint32

// AllFacts is the set of all kinds.
const AllFacts FactKinds = 1<<(StatusList+1) - 2

// FactsOf returns the set of the kinds.
func FactsOf(kinds ...FactKind) (set FactKinds) {
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// Has reports whether the kind is in the set.
func (s FactKinds) Has(k FactKind) bool { return s&(1<<k) != 0 }

// Resources are the resources whose records the facts are about, which a caller has to be allowed to read.
func (s FactKinds) Resources() (names []string) {
	for kind, of := range factResources {
		if s.Has(FactKind(kind)) {
			names = append(names, of...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

var factResources = [...][]string{
	UnpaidInvoicesOfClient: {"invoice"}, DealsOfClient: {"deal"}, DealsOfUser: {"deal"}, InvoicesOfDeal: {"invoice"},
	AgreementsOfDeal: {"contract", "offer"}, NumberTaken: {"invoice"}, LinesOfInvoice: {"invoice"}, ContactsOfClient: {"contact"},
	ContactsOfDeal: {"contact"}, ClientRecord: {"client"}, DealRecord: {"deal"}, StatusRecord: {"status"},
	PerformerRecord: {"performer"}, UserRecord: {"user"}, StatusList: {"status"},
}

// Question asks for one fact about the records, including what the unit of work has changed so
// far.
type Question struct {
	Kind   FactKind
	ID     int64  // of the client, user, deal, status, performer or invoice; 1 of the StatusList
	Number string // of NumberTaken
	Year   int    // of NumberTaken
	Except Record // does not count
}

// Record identifies a record. The zero value is none.
type Record struct {
	Resource string
	ID       int64
}

// counted has the resources whose records the answers count or list.
var counted = map[FactKind][]string{
	UnpaidInvoicesOfClient: {"invoice"}, InvoicesOfDeal: {"invoice"}, NumberTaken: {"invoice"},
	DealsOfClient: {"deal"}, DealsOfUser: {"deal"}, AgreementsOfDeal: {"offer", "contract"},
	ContactsOfClient: {"contact"}, ContactsOfDeal: {"contact"},
}

// Without returns the question about all records other than r.
func (q Question) Without(r Record) Question {
	if r.ID != 0 && slices.Contains(counted[q.Kind], r.Resource) {
		q.Except = r
	}
	return q
}

// ExceptOf returns the id of the record of the resource that does not count; zero if there is none.
func (q Question) ExceptOf(resource string) int64 {
	if q.Except.Resource == resource {
		return q.Except.ID
	}
	return 0
}

// IsStorable reports whether an invoice can have the year and the number of a NumberTaken
// question. Expressions may ask for any.
func (q Question) IsStorable() bool {
	return q.Year > 0 && q.Year < 10_000 && text.Illegal(q.Number) == ""
}

// Subject returns the subject of the question. The same changes may alter the answers to all
// questions with one subject. All numbers of a performer's year are one: the number that a series
// gives is not known before the series is locked, which comes last.
func (q Question) Subject() Question {
	q.Except, q.Number = Record{}, ""
	return q
}

// Answer is the answer to a question: FactKind names the fields that are set.
type Answer struct {
	Count             int
	Sum               money.Amount // of the amounts to pay
	Oldest            time.Time    // date, as package civil has it; zero if there is none
	ByStatus          map[catalog.StatusID]int
	ByState           map[invoice.Status]int
	Issued            int // without credit notes and cancelled invoices
	Offers, Contracts int
	IsTaken           bool
	Lines             []invoice.Line        // by id
	Contacts          []contact.State       // the first MaxContacts, by id
	Record            any                   // pointer to the state; nil if it does not exist
	Party             *party.State          // nil if it does not exist
	Statuses          []catalog.StatusState // by id
}

// AllStatuses asks for all statuses of deals.
var AllStatuses = Question{Kind: StatusList, ID: 1}

// MaxContacts is the maximum number of contacts of one answer.
const MaxContacts = 1000

// Facts answers the questions of rules.
//
// Chose: locks on the subjects of questions instead of on rows. Because: an answer must stay true
// until the commit, and there may be no row to lock, as for a number that is not taken; and who asks
// for a record waits behind a write that already waits to change it, where those who share the lock
// of a row overtake it for ever. Costs: a write that changes an answer waits for the writes that
// have asked for it, and the reverse.
type Facts interface {
	// Answer returns the answers in the order of the questions, in one round trip; without
	// questions, in none. The answer for an id that does not exist is the zero Answer.
	Answer(ctx context.Context, questions []Question) ([]Answer, error)
	// AnswerLocked is like Answer, but also locks the answers: until the end of the unit of
	// work, other writes that would change them wait, if they call Protect. A dry run locks
	// nothing.
	AnswerLocked(ctx context.Context, questions []Question) ([]Answer, error)
	// Protect makes the unit of work wait before its commit for others that have locked answers
	// of these kinds that it changes.
	Protect(kinds FactKinds)
	// Propose announces changes that are about to be judged. The first AnswerLocked then waits for
	// all of them at once, in the order of the locks: a rule may ask for less than a change alters.
	Propose(c Changes)
}

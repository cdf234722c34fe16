package rule

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Facts answers questions of rules and reactions about other records, on demand. Answers
// include what the unit of work has changed so far. For a rule, numbers and lists leave out the
// record that it judges, and a single record is as before the change. For one change, no question
// is read from the database twice.
//
// Answers to reactions and enforced rules are locked: they stay true until the commit, because
// writes that would change them wait. Answers to rules in other modes are not locked. Errors
// are those of the database and must be returned. States must not be changed.
type Facts interface {
	// UnpaidInvoices summarizes the client's invoices in the state invoice.NotPaid.
	UnpaidInvoices(ctx context.Context, id client.ID) (UnpaidInvoices, error)
	// ClientDeals counts the client's deals by status.
	ClientDeals(ctx context.Context, id client.ID) (map[catalog.StatusID]int, error)
	// UserDeals counts by status the deals that the user is responsible for.
	UserDeals(ctx context.Context, id user.ID) (map[catalog.StatusID]int, error)
	// DealInvoices counts the deal's invoices by state.
	DealInvoices(ctx context.Context, id deal.ID) (map[invoice.Status]int, error)
	// DealInvoicesIssued counts the deal's invoices that are issued, without credit notes and cancelled ones.
	DealInvoicesIssued(ctx context.Context, id deal.ID) (int, error)
	// DealAgreements counts the deal's offers and contracts.
	DealAgreements(ctx context.Context, id deal.ID) (DealAgreements, error)
	// NumberTaken reports whether an invoice of the performer has the number and a date in the
	// year.
	NumberTaken(ctx context.Context, issuer performer.ID, year int, number string) (bool, error)
	// InvoiceLines returns the stored lines of the invoice, by ascending id.
	InvoiceLines(ctx context.Context, id invoice.ID) ([]invoice.Line, error)
	// Contacts returns the contacts of the client or deal by ascending id, at most
	// repository.MaxContacts.
	Contacts(ctx context.Context, of contact.Link) ([]contact.State, error)
	// AllStatuses returns the statuses of deals by ascending id.
	AllStatuses(ctx context.Context) ([]catalog.StatusState, error)

	// The other records and their parties; nil if there is none with the id.

	Client(ctx context.Context, id client.ID) (*client.State, error)
	Deal(ctx context.Context, id deal.ID) (*deal.State, error)
	Status(ctx context.Context, id catalog.StatusID) (*catalog.StatusState, error)
	Performer(ctx context.Context, id performer.ID) (*performer.State, error)
	ClientParty(ctx context.Context, id client.ID) (*party.State, error)
	PerformerParty(ctx context.Context, id performer.ID) (*party.State, error)
	User(ctx context.Context, id user.ID) (*user.State, error)
}

// UnpaidInvoices summarizes a client's invoices in the state invoice.NotPaid.
type UnpaidInvoices struct {
	Count  int          // without credit notes
	Sum    money.Amount // of the amounts to pay, less those of credit notes
	Oldest time.Time    // the earliest date of those that are counted, as package civil has it; zero without any
}

// DealAgreements counts the documents of a deal.
type DealAgreements struct {
	Offers, Contracts int
}

// Lines returns all lines of the invoice after the change, none if it is deleted. It reads the
// lines that the change does not concern from c.Facts.
func Lines(ctx context.Context, c Change[invoice.State]) ([]invoice.Line, error) {
	switch {
	case c.After == nil:
		return nil, nil
	case len(c.After.Lines) == c.After.TotalCount:
		return c.After.Lines, nil
	}
	stored, err := c.Facts.InvoiceLines(ctx, c.After.ID)
	if err != nil {
		return nil, err
	}
	var loaded []invoice.Line
	if c.Before != nil {
		loaded = c.Before.Lines
	}
	return mergeLines(stored, loaded, c.After.Lines), nil
}

// ConcernsLines reports whether the change adds, changes or removes lines. It is false if the
// invoice is deleted.
func ConcernsLines(c Change[invoice.State]) bool {
	return c.After != nil && (len(c.After.Lines) > 0 || c.Before != nil && len(c.Before.Lines) > 0)
}

// mergeLines replaces those of the stored lines that were loaded by what became of them. The lines are
// ordered by id, as all lines of an invoice are, with those that have none yet last.
func mergeLines(stored, loaded, after []invoice.Line) []invoice.Line {
	concerned := map[invoice.LineID]bool{}
	for _, l := range loaded {
		concerned[l.ID] = true
	}
	kept := slices.DeleteFunc(slices.Clone(stored), func(l invoice.Line) bool { return concerned[l.ID] })
	all := slices.Concat(kept, after)
	slices.SortStableFunc(all, func(a, b invoice.Line) int {
		if a.ID == 0 || b.ID == 0 {
			return cmp.Compare(b.ID, a.ID)
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return all
}

type cache struct {
	store  repository.Facts
	judged repository.Record // that no answer counts
	write  context.Context   // nil: the context of the caller
	failed error             // the first error of the store
	locks  bool              // for the questions that are asked next
	locked map[repository.Question]repository.Answer
	read   map[repository.Question]repository.Answer // without a lock
}

// NewFacts returns facts with locked answers, for a reaction.
func NewFacts(store repository.Facts) Facts { return &cache{store: store, locks: true} }

func newCache(store repository.Facts, judged repository.Record) *cache {
	return &cache{store: store, judged: judged}
}

// during makes the statements end with the write's context instead of that of a rule, because an
// interrupted statement ends the transaction.
func (c *cache) during(write context.Context) *cache {
	c.write = write
	return c
}

func (c *cache) lookUp(q repository.Question) (a repository.Answer, ok bool) {
	if a, ok = c.locked[q]; !ok && !c.locks {
		a, ok = c.read[q]
	}
	return a, ok
}

func (c *cache) ask(ctx context.Context, questions []repository.Question) error {
	if len(questions) == 0 {
		return nil
	}
	answer, known := c.store.Answer, &c.read
	if c.locks {
		answer, known = c.store.AnswerLocked, &c.locked
	}
	if c.write != nil {
		ctx = c.write
	}
	a, err := answer(ctx, questions)
	if err != nil {
		c.failed = cmp.Or(c.failed, err)
		return err
	}
	if *known == nil {
		*known = map[repository.Question]repository.Answer{}
	}
	for i, q := range questions {
		(*known)[q] = a[i]
	}
	return nil
}

func (c *cache) answer(ctx context.Context, q repository.Question) (repository.Answer, error) {
	q = q.Without(c.judged)
	if a, ok := c.lookUp(q); ok {
		return a, nil
	}
	err := c.ask(ctx, []repository.Question{q})
	a, _ := c.lookUp(q)
	return a, err
}

func (c *cache) UnpaidInvoices(ctx context.Context, id client.ID) (UnpaidInvoices, error) {
	a, err := c.answer(ctx, repository.Question{Kind: repository.UnpaidInvoicesOfClient, ID: int64(id)})
	return UnpaidInvoices{Count: a.Count, Sum: a.Sum, Oldest: a.Oldest}, err
}

func (c *cache) ClientDeals(ctx context.Context, id client.ID) (map[catalog.StatusID]int, error) {
	a, err := c.answer(ctx, repository.Question{Kind: repository.DealsOfClient, ID: int64(id)})
	return a.ByStatus, err
}

func (c *cache) UserDeals(ctx context.Context, id user.ID) (map[catalog.StatusID]int, error) {
	a, err := c.answer(ctx, repository.Question{Kind: repository.DealsOfUser, ID: int64(id)})
	return a.ByStatus, err
}

func (c *cache) DealInvoices(ctx context.Context, id deal.ID) (map[invoice.Status]int, error) {
	a, err := c.answer(ctx, repository.Question{Kind: repository.InvoicesOfDeal, ID: int64(id)})
	return a.ByState, err
}

func (c *cache) DealInvoicesIssued(ctx context.Context, id deal.ID) (int, error) {
	a, err := c.answer(ctx, repository.Question{Kind: repository.InvoicesOfDeal, ID: int64(id)})
	return a.Issued, err
}

func (c *cache) DealAgreements(ctx context.Context, id deal.ID) (DealAgreements, error) {
	a, err := c.answer(ctx, repository.Question{Kind: repository.AgreementsOfDeal, ID: int64(id)})
	return DealAgreements{a.Offers, a.Contracts}, err
}

func (c *cache) NumberTaken(ctx context.Context, issuer performer.ID, year int, number string) (bool, error) {
	a, err := c.answer(ctx, repository.Question{Kind: repository.NumberTaken, ID: int64(issuer), Year: year, Number: number})
	return a.IsTaken, err
}

func (c *cache) InvoiceLines(ctx context.Context, id invoice.ID) ([]invoice.Line, error) {
	a, err := c.answer(ctx, repository.Question{Kind: repository.LinesOfInvoice, ID: int64(id)})
	return a.Lines, err
}

func (c *cache) Contacts(ctx context.Context, link contact.Link) ([]contact.State, error) {
	q := repository.Question{Kind: repository.ContactsOfDeal}
	if id, ok := link.Client(); ok {
		q.Kind, q.ID = repository.ContactsOfClient, int64(id)
	} else {
		id, _ := link.Deal()
		q.ID = int64(id)
	}
	a, err := c.answer(ctx, q)
	return a.Contacts, err
}

func (c *cache) AllStatuses(ctx context.Context) ([]catalog.StatusState, error) {
	a, err := c.answer(ctx, repository.AllStatuses)
	return a.Statuses, err
}

func (c *cache) Client(ctx context.Context, id client.ID) (*client.State, error) {
	return recordOf[client.State](ctx, c, repository.ClientRecord, int64(id))
}

func (c *cache) Deal(ctx context.Context, id deal.ID) (*deal.State, error) {
	return recordOf[deal.State](ctx, c, repository.DealRecord, int64(id))
}

func (c *cache) Status(ctx context.Context, id catalog.StatusID) (*catalog.StatusState, error) {
	return recordOf[catalog.StatusState](ctx, c, repository.StatusRecord, int64(id))
}

func (c *cache) Performer(ctx context.Context, id performer.ID) (*performer.State, error) {
	return recordOf[performer.State](ctx, c, repository.PerformerRecord, int64(id))
}

func (c *cache) ClientParty(ctx context.Context, id client.ID) (*party.State, error) {
	return c.partyOf(ctx, repository.ClientRecord, int64(id))
}

func (c *cache) PerformerParty(ctx context.Context, id performer.ID) (*party.State, error) {
	return c.partyOf(ctx, repository.PerformerRecord, int64(id))
}

func (c *cache) partyOf(ctx context.Context, kind repository.FactKind, id int64) (*party.State, error) {
	if id == 0 {
		return nil, nil
	}
	a, err := c.answer(ctx, repository.Question{Kind: kind, ID: id})
	return a.Party, err
}

func (c *cache) User(ctx context.Context, id user.ID) (*user.State, error) {
	return recordOf[user.State](ctx, c, repository.UserRecord, int64(id))
}

// recordOf returns a record. Nothing is asked about no record.
func recordOf[S any](ctx context.Context, c *cache, kind repository.FactKind, id int64) (*S, error) {
	if id == 0 {
		return nil, nil
	}
	a, err := c.answer(ctx, repository.Question{Kind: kind, ID: id})
	s, _ := a.Record.(*S)
	return s, err
}
